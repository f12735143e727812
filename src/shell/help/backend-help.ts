import type { Backend } from '../../backends/backend.ts';
import { BACKENDS } from '../../backends/index.ts';
import { examplesFor } from '../../config/option-sources.ts';
import { SyncerError } from '../../core/errors.ts';
import type { BackendOption } from '../../core/options.ts';
import { nearestName } from '../command-line/nearest-name.ts';
import { fillText, type HelpStyle, heading, rowLines } from './help-style.ts';

/** The backends, one per line. */
export function backendsHelp(style: HelpStyle): string {
  const rows = BACKENDS.map(
    ({ type, aliases = [], summary }) => [[type, ...aliases].join(', '), summary] as const,
  );
  return [
    heading('Backends', style),
    ...rowLines(rows, style),
    '',
    ...fillText('Run "syncer help backend <name>" for the options of a backend.', style.columns),
    '',
  ].join('\n');
}

/** The options of a backend: in the configuration file, as flags and in the environment. */
export function backendHelp(type: string, style: HelpStyle): string {
  const backend = BACKENDS.find((one) => one.type === type || one.aliases?.includes(type));
  if (backend === undefined) {
    const nearest = nearestName(
      type,
      BACKENDS.map((one) => one.type),
    );
    const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
    throw new SyncerError('usage', `unknown backend ${type}${hint}`);
  }
  const options = backend.options.flatMap((option) => ['', ...optionLines(backend, option, style)]);
  const title = fillText(`${backend.type}: ${backend.summary}`, style.columns, '  ', '');
  return [...title, ...options, ''].join('\n');
}

/**
 * The flags of backends, each backend under a heading.
 *
 * @param only the name of a backend, or a pattern for names and help texts; `''` if no flag matches
 */
export function backendFlagsHelp(only: RegExp | string | undefined, style: HelpStyle): string {
  const sections = BACKENDS.flatMap(({ type, aliases = [], options }) => {
    const names = [type, ...aliases];
    // rclone's name where there is one.
    const shown = aliases[0] ?? type;
    const rows = options
      .map((option): readonly [string, string] => {
        const value = option.type === 'bool' && option.isTristate !== true ? '' : ` ${option.type}`;
        const [first = ''] = option.help.split('\n');
        const isSaid = option.default !== undefined && !['', 'false'].includes(option.default);
        const usual = isSaid ? ` (default ${option.default})` : '';
        const name = `--${shown}-${option.name}`.replaceAll('_', '-');
        return [`    ${name}${value}`, first.replace(/\.$/, '') + usual];
      })
      .filter(([name, help]) => {
        if (typeof only === 'string') return names.includes(only);
        return only === undefined || only.test(name) || only.test(help);
      })
      .sort(([a], [b]) => (a < b ? -1 : 1));
    if (rows.length === 0) return [];
    const others = names.filter((name) => name !== shown).map((name) => `--${name}-…`);
    const also = others.length === 0 ? '' : `, also as ${others.join(', ').replaceAll('_', '-')}`;
    return [
      [heading(`Flags for ${shown} remotes${also}`, style), ...rowLines(rows, style), ''].join(
        '\n',
      ),
    ];
  });
  return sections.join('\n');
}

function optionLines(
  { type }: Backend,
  option: BackendOption,
  { columns }: HelpStyle,
): readonly string[] {
  const flag = `${type}-${option.name}`.replaceAll('_', '-');
  const usual = option.default === undefined ? '' : ` Default: ${option.default}.`;
  const required = option.required === true ? ' Required.' : '';
  // Of hundreds of places, those of one provider.
  const values = examplesFor(option, '').flatMap(({ value }) => (value === '' ? [] : [value]));
  const help = `${option.help}${usual}${required}`.split('\n');
  return [
    `  ${option.name} (${option.type})`,
    ...help.flatMap((line) => fillText(line, columns, '      ')),
    ...fillText(`--${flag}, SYNCER_${flag.toUpperCase().replaceAll('-', '_')}`, columns, '      '),
    ...(values.length === 0
      ? []
      : fillText(`Values: ${[...new Set(values)].join(', ')}`, columns, '        ', '      ')),
  ];
}
