import { DEFAULT_LIST_CUTOFF } from '../core/context.ts';
import { hasCode, SyncerError } from '../core/errors.ts';
import { asSeen } from '../core/mod-time.ts';
import { compareEntries, NamesInTurn, placeOf } from '../core/name-order.ts';
import type { Entry, FileEntry, Op, Remote } from '../core/remote.ts';
import { detailsForFilter, listDir, type OnFailed } from '../core/remote-calls.ts';
import { joinPath } from '../core/remote-path.ts';
import type { Filter } from '../filter/filter.ts';
import type { DiskSorter } from '../system/disk-sort.ts';
import { isTrialFile } from './place/trial-file.ts';

/** How one side of a run is listed. */
export interface ListingRules {
  readonly remote: Remote;
  readonly filter: Filter;
  readonly useServerModTime: boolean | undefined;
  /** See `Context.listCutoff`; `onDisk` is called when a directory has more entries. */
  readonly listCutoff?: number | undefined;
  readonly onDisk: (cutoff: number) => void;
  /** Called with an entry whose name was listed before; it is skipped. */
  readonly onDuplicate: (entry: Entry) => void;
  readonly onFailed: OnFailed;
  /** Called with a trial file; it is skipped. */
  readonly onTrialFile: (file: FileEntry) => void;
}

/**
 * The entries of one directory that belong to the run, sorted by `compareEntries`, in pages. A listing in order is
 * streamed; any other is read whole and sorted. Rejects as `listPage` does.
 */
export async function* sortedListing(
  rules: ListingRules,
  dir: string,
  op: Op,
): AsyncGenerator<readonly Entry[]> {
  const { remote, filter } = rules;
  const onFailed: OnFailed = (failed) => {
    const { kind, path } = failed;
    if (kind === 'dir' ? filter.keepDir(path) : filter.keepPath(path)) rules.onFailed(failed);
  };
  const mustReadWhole = !remote.traits.sortedPages || filter.markerFiles.length > 0;
  if (!mustReadWhole) {
    let last: Entry | undefined;
    const order = new NamesInTurn();
    for await (const page of listDir(remote, dir, op, onFailed)) {
      const repeats = assertSorted(remote, page, order, last);
      const once = repeats ? withoutDuplicates(rules, page, last) : page;
      const kept = await keepEntries(rules, once, op);
      last = page.at(-1) ?? last;
      yield kept;
    }
    return;
  }
  const sorter = new EntrySorter(rules.listCutoff, rules.onDisk);
  try {
    const markers = new Set(filter.markerFiles.map((name) => joinPath(dir, name)));
    const isMarker = ({ kind, path }: Entry) => kind === 'file' && markers.has(path);
    let hasMarker = false;
    for await (const page of listDir(remote, dir, op, onFailed)) {
      hasMarker ||= markers.size > 0 && page.some(isMarker);
      await sorter.add(page);
    }
    if (hasMarker) return;
    let last: Entry | undefined;
    for (const page of sorter.pages()) {
      const kept = await keepEntries(rules, withoutDuplicates(rules, page, last), op);
      last = page.at(-1) ?? last;
      yield kept;
    }
  } finally {
    sorter.close();
  }
}

/**
 * Whether a name is repeated. Throws `bad-answer` for a listing out of order: a merge would take files for missing, and
 * delete them.
 */
function assertSorted(
  remote: Remote,
  page: readonly Entry[],
  order: NamesInTurn,
  before: Entry | undefined,
): boolean {
  let previous = before;
  let repeats = false;
  for (let at = 0; at < page.length; at++) {
    const entry = page[at] as Entry;
    const compared = order.next(placeOf(entry));
    if (compared < 0) {
      const text = `${remote.title} lists "${entry.path}" after "${previous?.path}", which is out of order`;
      throw new SyncerError('bad-answer', text);
    }
    repeats ||= compared === 0;
    previous = entry;
  }
  return repeats;
}

function withoutDuplicates(
  { onDuplicate }: ListingRules,
  entries: readonly Entry[],
  before: Entry | undefined,
): readonly Entry[] {
  let previous = before;
  return entries.filter((entry) => {
    const repeats = previous?.path === entry.path && previous.kind === entry.kind;
    previous = entry;
    if (repeats) onDuplicate(entry);
    return !repeats;
  });
}

async function keepEntries(
  { remote, filter, useServerModTime, onTrialFile }: ListingRules,
  listed: readonly Entry[],
  op: Op,
): Promise<readonly Entry[]> {
  const trials = listed.filter(isTrialFile);
  trials.forEach(onTrialFile);
  const shown = trials.length > 0 ? listed.filter((entry) => !isTrialFile(entry)) : listed;
  const entries = useServerModTime ? shown.map((entry) => asSeen(entry, true)) : shown;
  if (filter.passesAll) return entries;
  const keep = (entry: Entry) =>
    entry.kind === 'dir' ? filter.keepDir(entry.path) : filter.keepFile(entry);
  let unmarked: readonly Entry[] = entries.filter(keep);
  const { markerFiles } = filter;
  if (markerFiles.length > 0) {
    // Without directories that have a marker file (`--exclude-if-present`).
    const left: Entry[] = [];
    for (const entry of unmarked) {
      const names = entry.kind === 'dir' ? markerFiles : [];
      const paths = names.map((name) => joinPath(entry.path, name));
      const markers = await Promise.all(paths.map((path) => remote.stat(path, op)));
      if (!markers.some((marker) => marker?.kind === 'file')) left.push(entry);
    }
    unmarked = left;
  }
  const complete = detailsForFilter(remote, filter, op);
  if (complete === undefined) return unmarked;
  return (await completed(unmarked, complete)).filter(keep);
}

/** The entries, files with what the filter needs. A file that is gone by then is skipped. */
async function completed(
  entries: readonly Entry[],
  complete: (file: FileEntry) => FileEntry | Promise<FileEntry>,
): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  const read = async (entry: Entry): Promise<Entry | undefined> => {
    try {
      return entry.kind === 'file' ? await complete(entry) : entry;
    } catch (thrown) {
      if (hasCode(thrown, 'file-not-found')) return undefined;
      throw thrown;
    }
  };
  const atOnce = 16;
  for (let from = 0; from < entries.length; from += atOnce) {
    const batch = await Promise.all(entries.slice(from, from + atOnce).map(read));
    found.push(...batch.filter((entry) => entry !== undefined));
  }
  return found;
}

/** Number of entries of a page that comes from a disk. */
const PAGE_LENGTH = 1000;

/** The entries of one directory, in memory up to a number and on disk beyond (`--list-cutoff`). */
export class EntrySorter {
  readonly #cutoff: number;
  readonly #onDisk: (cutoff: number) => void;
  #entries: Entry[] = [];
  #sorter: DiskSorter<Entry> | undefined;

  /** @param onDisk called when the disk begins to be used */
  constructor(cutoff = DEFAULT_LIST_CUTOFF, onDisk: (cutoff: number) => void) {
    this.#cutoff = cutoff;
    this.#onDisk = onDisk;
  }

  async add(entries: readonly Entry[]): Promise<void> {
    if (this.#sorter !== undefined) return this.#sorter.add(entries);
    for (const entry of entries) this.#entries.push(entry);
    if (this.#entries.length <= this.#cutoff) return;
    const { DiskSorter } = await import('../system/disk-sort.ts');
    this.#onDisk(this.#cutoff);
    this.#sorter = new DiskSorter<Entry>(compareEntries, this.#cutoff);
    this.#sorter.add(this.#entries);
    this.#entries = [];
  }

  /** All entries, sorted by `compareEntries`. */
  *pages(): Generator<readonly Entry[]> {
    if (this.#sorter === undefined) yield this.#entries.sort(compareEntries);
    else yield* this.#sorter.pages(PAGE_LENGTH);
  }

  close(): void {
    this.#sorter?.close();
  }
}
