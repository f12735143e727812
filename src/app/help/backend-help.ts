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
