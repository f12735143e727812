import type { Flags } from '../flags/flag-table.ts';
import { formatGuards, parseGuards } from '../guards/guard-list.ts';

/** Flags of what is reported about the files of a run. */
export const REPORTS = [
  ...(['combined', 'match', 'differ', 'missing-on-src', 'missing-on-dst', 'error'] as const),
  ...(['dest-after', 'manifest'] as const),
];

/** Flags whose work needs the whole run, and not a range of it: `--checkpoint` and `--queue` refuse them. */
export const NOT_IN_RANGES = [
  ...(['dry-run', 'interactive', 'review', 'save', 'watch', 'no-check-dest'] as const),
  ...(['track-renames', 'delete-before', 'delete-during', 'ignore-errors'] as const),
  ...(['order-by', 'files-from', 'files-from-raw', 'files-from0'] as const),
  ...(['no-traverse', 'exclude-if-present', 'name-transform', 'fix-case'] as const),
  ...(['ignore-case-sync', 'create-empty-src-dirs', 'backup-dir', 'suffix'] as const),
  'check-first' as const,
  ...REPORTS,
];

/** The first of these flags that is set; `undefined` if none is. `--guard off` sets nothing. */
export function firstSet<Key extends keyof Flags>(
  flags: Flags,
  keys: readonly Key[],
): Key | undefined {
  return keys.find((key) => {
    const value: unknown = flags[key];
    if (key === 'guard' && flags.guard !== undefined)
      return formatGuards(parseGuards(flags.guard)) !== 'off';
    return Array.isArray(value) ? value.length > 0 : Boolean(value);
  });
}
