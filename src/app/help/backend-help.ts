import type { Backend } from '../../backends/backend.ts';
import { BACKENDS } from '../../backends/index.ts';
import { SyncerError } from '../../core/errors.ts';
import type { BackendOption } from '../../core/options.ts';
import { nearestName } from '../command-line/nearest-name.ts';

/** The backends, one per line. */
export function backendsHelp(): string {
  const rows = BACKENDS.map(({ type, summary }) => [type, summary] as const);
  const width = Math.max(...rows.map(([type]) => type.length));
  return [
    'Backends:',
    '',
    ...rows.map(([type, summary]) => `  ${type.padEnd(width)}  ${summary}`),
    '',
    'Run "syncer help backend <name>" for the options of a backend.',
    '',
  ].join('\n');
}

/** The options of a backend: in the configuration file, as flags and in the environment. */
export function backendHelp(type: string): string {
  const backend = BACKENDS.find((one) => one.type === type || one.aliases?.includes(type));
  if (backend === undefined) {
    const nearest = nearestName(
      type,
      BACKENDS.map((one) => one.type),
    );
    const hint = nearest === undefined ? '' : ` (did you mean ${nearest}?)`;
    throw new SyncerError('usage', `unknown backend ${type}${hint}`);
  }
  const options = backend.options.flatMap((option) => ['', ...optionLines(backend, option)]);
  return [`${backend.type}: ${backend.summary}`, ...options, ''].join('\n');
}

function optionLines({ type }: Backend, option: BackendOption): readonly string[] {
  const flag = `${type}-${option.name}`.replaceAll('_', '-');
  const usual = option.default === undefined ? '' : ` Default: ${option.default}.`;
  const required = option.required === true ? ' Required.' : '';
  const values = option.examples?.map(({ value }) => value).filter((value) => value !== '') ?? [];
  return [
    `  ${option.name} (${option.type})`,
    `      ${option.help.replaceAll('\n', '\n      ')}${usual}${required}`,
    `      --${flag}, SYNCER_${flag.toUpperCase().replaceAll('-', '_')}`,
    ...(values.length === 0 ? [] : [`      Values: ${[...new Set(values)].join(', ')}`]),
  ];
}
