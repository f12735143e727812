import type { Entry } from '../../core/remote.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import type { Listing } from './open-listing.ts';

/** The depth of commands that list one level by default, by `--recursive` and `--max-depth`; -1 for no limit. */
export function listingDepth(flags: Flags): number {
  const depth = flags['max-depth'];
  return !flags.recursive && depth < 0 ? 1 : depth;
}

/** The entries that `lsf` and `lsjson` print, by `--recursive`, `--files-only` and `--dirs-only`. */
export interface ListedEntries {
  readonly pages: AsyncIterable<readonly Entry[]>;
  /** Whether directories come from a flat listing. */
  readonly isFlat: boolean;
}

/**
 * Selects the entries to list; `--files-only` and `--dirs-only` together list nothing, as in rclone.
 *
 * @param sizesOnly only their paths and sizes are used
 */
export function listedEntries(listing: Listing, flags: Flags, sizesOnly = false): ListedEntries {
  const { 'files-only': filesOnly, 'ls-dirs-only': dirsOnly } = flags;
  const how = { maxDepth: listingDepth(flags), sizesOnly };
  const want = filesOnly ? 'files' : 'all';
  const all = listing.entries(want, how);
  return {
    pages: dirsOnly ? onlyDirs(all) : all,
    isFlat: listing.isFlat(want, how),
  };
}

async function* onlyDirs(pages: AsyncIterable<readonly Entry[]>): AsyncGenerator<readonly Entry[]> {
  for await (const page of pages) yield page.filter(({ kind }) => kind === 'dir');
}
