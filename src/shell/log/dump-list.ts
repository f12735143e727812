import { SyncerError } from '../../core/errors.ts';
import type { Flags } from '../flags/flag-table.ts';

type DumpFlags = Pick<Flags, 'dump' | 'dump-headers' | 'dump-bodies'>;

/** What `--dump` can show, in rclone's order. */
export const DUMPS = [
  'headers',
  'bodies',
  'requests',
  'responses',
  'auth',
  'filters',
  'goroutines',
  'openfiles',
  'curl',
  'errors',
  'trace',
  'mapper',
] as const;

/** Something that `--dump` shows. */
export type Dump = (typeof DUMPS)[number];

/**
 * Reads `--dump`, names separated by commas in any case, and the older `--dump-headers` and `--dump-bodies`. Throws
 * `command-line` for an unknown name.
 */
export function dumpList(flags: DumpFlags): ReadonlySet<Dump> {
  const found = new Set<Dump>();
  if (flags['dump-headers']) found.add('headers');
  if (flags['dump-bodies']) found.add('bodies');
  const { dump: text = '' } = flags;
  for (const part of text.split(',')) {
    const name = part.trim().toLowerCase();
    if (name === '') continue;
    const known = DUMPS.find((each) => each === name);
    if (known === undefined) {
      throw new SyncerError(
        'command-line',
        `invalid argument "${text}" for "--dump" flag: unknown dump flag "${name}"`,
      );
    }
    found.add(known);
  }
  return found;
}

/** The dumps of network traffic. */
const HTTP_DUMPS: readonly Dump[] = [
  ...(['headers', 'bodies', 'requests', 'responses', 'auth'] as const),
  ...(['curl', 'errors', 'trace'] as const),
];

/** Whether requests and responses are shown. */
export function dumpsHttp(dumps: ReadonlySet<Dump>): boolean {
  return HTTP_DUMPS.some((dump) => dumps.has(dump));
}

/** Logs rclone's first lines of `--dump`. */
export function tellDump(flags: Flags, tell: (message: string) => void): void {
  for (const what of ['headers', 'bodies'] as const) {
    const obsolete = `--dump-${what} is obsolete - please use --dump ${what} instead`;
    if (flags[`dump-${what}`]) tell(obsolete);
  }
  if (dumpList(flags).size === 0 || flags.verbose >= 2 || flags['log-level'] === 'debug') return;
  tell('Automatically setting -vv as --dump is enabled');
}
