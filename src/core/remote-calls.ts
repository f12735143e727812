import type { Deletion } from './change-details.ts';
import { SyncerError, toSyncerError } from './errors.ts';
import type { HashName } from './hash-names.ts';
import { asSeen, sameModTime } from './mod-time.ts';
import type { Entry, FailedEntry, FileEntry, Op, Page, Remote } from './remote.ts';

/** Receives entries that could not be read. */
export type OnFailed = (failed: FailedEntry) => void;

/** The pages of one directory, in order. */
export function listDir(
  remote: Remote,
  dir: string,
  op: Op,
  onFailed: OnFailed,
): AsyncGenerator<readonly Entry[]> {
  return readPages((cursor) => remote.listPage(dir, cursor, op), onFailed);
}

/** The pages of directories, each as `change` returns it: the same map if it changes none. */
export function mapPages(
  dirs: ReadonlyMap<string, Page>,
  change: (page: Page) => Page,
): ReadonlyMap<string, Page> {
  const changed = new Map<string, Page>();
  for (const [dir, page] of dirs) {
    const now = change(page);
    if (now !== page) changed.set(dir, now);
  }
  return changed.size === 0 ? dirs : new Map([...dirs, ...changed]);
}

/** The pages that successive calls of `readPage` return, until one comes without a cursor. */
export async function* readPages(
  readPage: (cursor: string | undefined) => Promise<Page>,
  onFailed: OnFailed,
): AsyncGenerator<readonly Entry[]> {
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    for (const failed of page.failed ?? []) onFailed(failed);
    yield page.entries;
    cursor = page.cursor;
  } while (cursor !== undefined);
}

/** The error for a directory of another file system where `--one-file-system` keeps a change out of it. */
export function otherFileSystem(action: string, path: string): SyncerError {
  const text = `${action}: another file system, left alone because of --one-file-system`;
  const advice = 'unmount it, or run the command without --one-file-system';
  return new SyncerError('not-empty', text, { path, advice });
}

/** The result of a deletion: each failure with its file. */
export type DeleteFailures = ReadonlyMap<FileEntry, Error>;

/** Deletes one file. Rejects if it cannot be deleted. */
export async function deleteOne(
  remote: Pick<Remote, 'delete'>,
  file: FileEntry,
  op: Op,
  how?: Deletion,
): Promise<void> {
  for (const error of (await remote.delete([file], op, how)).values()) throw error;
}

/** Deletes files with a call for each, and collects the failures. Rejects only if it is aborted. */
export async function deleteOneByOne(
  files: readonly FileEntry[],
  op: Op,
  deleteFile: (file: FileEntry) => Promise<unknown>,
): Promise<DeleteFailures> {
  const failures = new Map<FileEntry, Error>();
  for (const file of files) {
    try {
      await deleteFile(file);
    } catch (thrown) {
      op.signal.throwIfAborted();
      failures.set(file, toSyncerError(thrown));
    }
  }
  return failures;
}

/**
 * Whether what a remote shows at the path of a copy may be the copy: a file of its size, and not still the replaced one,
 * if times or hashes tell them apart.
 *
 * @param copy the file as it should be; with size -1 any size is right
 */
export function mayBeCopy(
  found: Entry | undefined,
  copy: FileEntry,
  replaced: FileEntry | undefined,
): boolean {
  if (found?.kind !== 'file') return false;
  if (found.size >= 0 && copy.size >= 0 && found.size !== copy.size) return false;
  for (const name in copy.hashes) {
    const [is, shouldBe] = [found.hashes, copy.hashes].map((all) => all?.[name as HashName]);
    if (is !== undefined && shouldBe !== undefined && is !== shouldBe) return false;
  }
  const isTimeOfOld = found.modTime !== undefined && found.modTime === replaced?.modTime;
  if (!isTimeOfOld || replaced?.size !== found.size || copy.modTime === undefined) return true;
  // What a remote keeps of a time may be seconds.
  return sameModTime(found.modTime, copy.modTime, COARSEST_NS);
}

/** The coarsest times that services keep, in nanoseconds. */
const COARSEST_NS = 2_000_000_000n;

/** What the rules of a filter need of a file. */
export interface FilterNeeds {
  /** An age rule is set: `keepFile` needs `modTime`. */
  readonly needsModTime: boolean;
  /** `storedTime` does as well (`--use-server-modtime`). */
  readonly usesStoredTime?: boolean;
  /** A metadata rule is set: `keepFile` needs `metadata`. */
  readonly needsMetadata?: boolean;
}

/**
 * A function that completes a file with what the rules of a filter need and its listing lacks, by a request that may
 * reject. `undefined` if the rules need nothing.
 */
export function detailsForFilter(
  { can }: Remote,
  { needsModTime, usesStoredTime, needsMetadata = false }: FilterNeeds,
  op: Op,
): ((file: FileEntry) => FileEntry | Promise<FileEntry>) | undefined {
  if (!needsModTime && !needsMetadata) return undefined;
  const { details } = can;
  const complete = (file: FileEntry) =>
    needsMetadata && file.metadata === undefined ? { ...file, metadata: {} } : file;
  return (file) => {
    const lacksTime = needsModTime && asSeen(file, usesStoredTime).modTime === undefined;
    const lacks = lacksTime || (needsMetadata && file.metadata === undefined);
    if (!lacks || details === undefined) return complete(file);
    return details.read(file, op).then(complete);
  };
}

/**
 * The size of a file that could not be read because it is listed with another one; `undefined` after any other error.
 * The listed hashes may be of other content, too.
 */
export function trueSizeOf(file: FileEntry, thrown: unknown): number | undefined {
  if (!(thrown instanceof SyncerError) || thrown.trueSize === file.size) return undefined;
  return thrown.trueSize;
}

/** The entry of a file about to be read: of unknown size if it is listed as empty and is not (`confirmSize`). */
export function confirmedEmpty(
  remote: Remote,
  file: FileEntry,
  op: Op,
): FileEntry | Promise<FileEntry> {
  return file.size === 0 ? (remote.can.confirmSize?.(file, op) ?? file) : file;
}

/**
 * Whether an index of modification times completes the listings of a remote: they have none, and are sorted as the index
 * is, and the place is known.
 */
export function lacksListedTimes({ storeId, traits }: Remote): boolean {
  return traits.slowModTime === true && traits.sortedPages === true && storeId !== undefined;
}
