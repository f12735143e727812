import { BACKENDS, OWN_BACKENDS, OWN_TYPES } from '../../backends/index.ts';
import { RCLONE_TYPES, type RunOfRclone, rcloneToAsk } from '../../backends/rclone/index.ts';
import { flagPrefix, rcloneProviders } from '../../backends/rclone/providers.ts';
import { examplesFor, shownType } from '../../config/option-sources.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import type { BackendOption } from '../../core/options.ts';
import { nearestName } from '../command-line/nearest-name.ts';
import { fillText, type HelpStyle, heading, rowLines } from './help-style.ts';

/** A backend as its help describes it. */
interface HelpedBackend {
  readonly type: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  readonly options: readonly BackendOption[];
  /** The beginning of the names of its flags; absent: the type. */
  readonly prefix?: string;
}

/** The backends, one per line. */
export function backendsHelp(style: HelpStyle): string {
  const rows = BACKENDS.map(({ type, aliases = [], summary, servesOthers }) => {
    const names = servesOthers ? [type] : [...aliases, type];
    return [names.join(', '), summary] as const;
  });
  return [
    heading('Backends', style),
    ...rowLines(rows, style),
    '',
    ...fillText('Run "syncer help backend <name>" for the options of a backend.', style.columns),
    '',
  ].join('\n');
}

/**
 * The options of a backend: in the configuration file, as flags and in the environment. Those of a type of rclone's are
 * asked of it; without it, the text says that it is needed. Rejects with `usage` for an unknown type.
 */
export async function backendHelp(
  type: string,
  style: HelpStyle,
  run: RunOfRclone,
): Promise<string> {
  if (type === 'rclone') {
    const about = 'rclone: every other type of remote, through the rclone that is installed.';
    const types = RCLONE_TYPES.join(', ');
    const more = 'Run "syncer help backend <type>" for the options of a type, which rclone lists.';
    return [
      ...fillText(about, style.columns, '  ', ''),
      '',
      ...fillText(`Types: ${types}`, style.columns, '  '),
      '',
      ...fillText(more, style.columns),
      '',
    ].join('\n');
  }
  const own = OWN_BACKENDS.find((one) => one.type === type || one.aliases?.includes(type));
  const backend = own ?? (OWN_TYPES.has(type) ? undefined : await backendOfRclone(type, run));
  if (backend === undefined) {
    const names = [...OWN_BACKENDS.map(shownType), ...RCLONE_TYPES];
    const nearest = nearestName(type, names);
    const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
    throw new SyncerError('usage', `unknown backend ${type}${hint}`);
  }
  const helped: HelpedBackend = own === undefined ? backend : { ...own, prefix: shownType(own) };
  const { prefix = type } = helped;
  const also = own !== undefined && prefix !== own.type ? `, also as type = ${own.type}` : '';
  const variables = prefix.replaceAll('-', '_').toUpperCase();
  const about = [
    `${helped.summary}${also}`,
    ...(own?.about?.replace(/\n(?![\d\n])/g, ' ').split(/\n+/) ?? []),
    `Variables: RCLONE_${variables}_… counts unless SYNCER_${variables}_… is set.`,
  ];
  const [title = '', ...rest] = about;
  return [
    ...fillText(`${prefix}: ${title}`, style.columns, '  ', ''),
    ...rest.flatMap((paragraph) =>
      /^\d/.test(paragraph)
        ? fillText(paragraph, style.columns, '     ', '  ')
        : ['', ...fillText(paragraph, style.columns, '  ')],
    ),
    ...backend.options.flatMap((option) => ['', ...optionLines(helped, option, style)]),
    '',
  ].join('\n');
}

/** A type of rclone's with its options; without any if rclone is missing. `undefined` if rclone does not know it. */
export async function backendOfRclone(
  type: string,
  run: RunOfRclone,
): Promise<HelpedBackend | undefined> {
  try {
    const providers = await rcloneProviders(rcloneToAsk(run), OWN_TYPES);
    const found = providers.find((one) => one.type === type || one.aliases.includes(type));
    if (found === undefined) return undefined;
    const summary = `${found.summary}, through rclone`;
    return { ...found, summary, prefix: flagPrefix(found) };
  } catch (thrown) {
    if (!RCLONE_TYPES.includes(type)) return undefined;
    const why = toSyncerError(thrown).message;
    return { type, summary: `through rclone, which lists its options; ${why}`, options: [] };
  }
}

/**
 * The flags of backends, each backend under a heading.
 *
 * @param only the name of a backend, or a pattern for names and help texts; `''` if no flag matches
 * @param backends those of syncer, or one of rclone's
 */
export function backendFlagsHelp(
  only: RegExp | string | undefined,
  style: HelpStyle,
  backends: readonly HelpedBackend[] = OWN_BACKENDS,
): string {
  const sections = backends.flatMap(({ type, aliases = [], options, prefix }) => {
    const names = [type, ...aliases];
    // rclone's name where there is one.
    const shown = prefix ?? aliases[0] ?? type;
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
    const also = prefix === undefined ? names.filter((name) => name !== shown) : [];
    const others = also.map((name) => `--${name}-…`);
    const told = others.length === 0 ? '' : `, also as ${others.join(', ').replaceAll('_', '-')}`;
    return [
      [heading(`Flags for ${shown} remotes${told}`, style), ...rowLines(rows, style), ''].join(
        '\n',
      ),
    ];
  });
  return sections.join('\n');
}

function optionLines(
  { type, prefix = type }: HelpedBackend,
  option: BackendOption,
  { columns }: HelpStyle,
): readonly string[] {
  const flag = `${prefix}-${option.name}`.replaceAll('_', '-');
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
