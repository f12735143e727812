import type { Entry } from '../../core/remote.ts';
import { csvSeparator } from '../../listing/csv-line.ts';
import type { WantedDetails } from '../../listing/detail-reader.ts';
import { type LsfRules, parseLsfFormat } from '../../listing/lsf-format.ts';
import { parseHashName } from '../../listing/sum-file.ts';
import { systemMimeTypes } from '../../names/mime-types.ts';
import type { Flags } from '../../shell/flags/flag-table.ts';
import type { Output } from '../../shell/output/output.ts';
import type { Listing } from './open-listing.ts';

/** The depth of commands that list one level by default, by `--recursive` and `--max-depth`; -1 for no limit. */
export function listingDepth(flags: Flags): number {
  const depth = flags['max-depth'];
  return !flags.recursive && depth < 0 ? 1 : depth;
}

/**
 * The entries that `lsf` and `lsjson` print, by `--recursive`, `--files-only` and `--dirs-only`, which together list
 * nothing, as in rclone. `isFlat`: directories come from a flat listing.
 *
 * @param sizesOnly only their paths and sizes are used
 */
export function listedEntries(listing: Listing, flags: Flags, sizesOnly = false) {
  const { 'files-only': filesOnly, 'ls-dirs-only': dirsOnly } = flags;
  const how = { maxDepth: listingDepth(flags), sizesOnly };
  const want = filesOnly ? 'files' : 'all';
  const all = listing.entries(want, how);
  const onlyDirs = async function* () {
    for await (const page of all) yield page.filter(({ kind }) => kind === 'dir');
  };
  return { pages: dirsOnly ? onlyDirs() : all, isFlat: listing.isFlat(want, how) };
}

/** Writes a line for each entry, those of a page at a time. */
export async function writeLines<E extends Entry>(
  out: Output,
  pages: AsyncIterable<readonly E[]>,
  line: (entry: E) => string,
): Promise<void> {
  for await (const page of pages) {
    let text = '';
    for (const entry of page) text += line(entry);
    await out.write(text);
  }
}

/** What the flags of `lsf` say about its lines, which are those of `--dest-after` too. */
type LsfOptions = Omit<LsfRules, 'dirSize' | 'now' | 'tier' | 'formatTime'>;

/** Reads the flags of `lsf`. Throws `command-line` for an unknown column or hash. */
export function lsfOptions(flags: Flags): LsfOptions {
  const { csv, separator = csv ? ',' : ';' } = flags;
  return {
    columns: parseLsfFormat(flags.format),
    hash: parseHashName(flags['lsf-hash']),
    separator: csv ? csvSeparator(separator) : separator,
    csv,
    dirSlash: flags['dir-slash'],
    absolute: flags.absolute,
    mimeTypes: systemMimeTypes(),
  };
}

/** What the columns show besides what a listing has. */
export function lsfDetails({ columns, hash }: LsfOptions): Omit<WantedDetails, 'useServerModTime'> {
  return {
    modTime: columns.includes('time'),
    mimeType: columns.includes('mimeType'),
    metadata: columns.includes('metadata'),
    hashes: columns.includes('hash') ? [hash] : [],
  };
}
