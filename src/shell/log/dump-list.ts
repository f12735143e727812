import { SyncerError } from '../../core/errors.ts';
import type { Flags } from '../flags/flag-table.ts';

/** What `--dump` can show, in rclone's order; `layers` is our own. */
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
  // At `debug`, which any `--dump` sets.
  'layers',
] as const;

/** Something that `--dump` shows. */
export type Dump = (typeof DUMPS)[number];

/**
 * Reads `--dump`, names separated by commas in any case, and the older `--dump-headers` and `--dump-bodies`. Throws
 * `command-line` for an unknown name.
 */
export function dumpList(
  flags: Pick<Flags, 'dump' | 'dump-headers' | 'dump-bodies'>,
): ReadonlySet<Dump> {
  const found = new Set<Dump>();
  if (flags['dump-headers']) found.add('headers');
  if (flags['dump-bodies']) found.add('bodies');
  const { dump: text = '' } = flags;
  for (const part of text.split(',')) {
    const name = part.trim().toLowerCase();
    if (name === '') continue;
    const known = DUMPS.find((each) => each === name);
    if (known === undefined) {
      const why = `invalid argument "${text}" for "--dump" flag: unknown dump flag "${name}"`;
      throw new SyncerError('command-line', why);
    }
    found.add(known);
  }
  return found;
}

/** The same list for rclone, which refuses the words that it does not know; `undefined` if none is left. */
export function dumpForRclone(text: string): string | undefined {
  const words = text.split(',').map((part) => part.trim());
  const known = words.filter((word) => word !== '' && word.toLowerCase() !== 'layers');
  return known.length === 0 ? undefined : known.join();
}

/** Whether requests and responses are shown. */
export function dumpsHttp(dumps: ReadonlySet<Dump>): boolean {
  const http = ['headers', 'bodies', 'requests', 'responses', 'auth', 'curl', 'errors', 'trace'];
  return [...dumps].some((dump) => http.includes(dump));
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
