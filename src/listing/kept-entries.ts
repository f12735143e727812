import { hasCode } from '../core/errors.ts';
import type { Emit } from '../core/events.ts';
import type { DirEntry, Entry, FileEntry, Op, Remote } from '../core/remote.ts';
import { detailsForFilter, type FilterNeeds } from '../core/remote-calls.ts';
import { joinPath, keptParents } from '../core/remote-path.ts';
import { orderedBatches } from './ordered-batches.ts';

/** A listing of one remote. */
export interface Walk {
  readonly remote: Remote;
  readonly filter: ListingFilter;
  readonly op: Op;
  readonly want: 'files' | 'dirs' | 'all';
  /** Depth for commands that stay in one directory by default; absent: the filter's. */
  readonly maxDepth?: number;
  /** Never one flat listing: directories without files are wanted, too. */
  readonly byDirectory?: boolean;
  /** One flat listing even if rules exclude directories (`--fast-list`). */
  readonly fastList?: boolean;
  /** Files may come in any order, if that is faster. */
  readonly anyOrder?: boolean;
  /** Only the paths and sizes of files are used, if the filter needs no more. */
  readonly sizesOnly?: boolean;
  /** Parallel requests. */
  readonly atOnce: number;
  readonly emit: Emit;
  /** Receives the errors of directories below the root; the rest is listed nevertheless. */
  onError(thrown: unknown, dir: string): void;
}

/** The part of the run's filter that a listing needs. */
interface ListingFilter extends FilterNeeds {
  /** Everything passes, at any depth. */
  readonly passesAll: boolean;
  /** Names of files that exclude their directory. */
  readonly markerFiles: readonly string[];
  /** Number of levels; 1 is the root alone; -1 no limit. */
  readonly maxDepth: number;
  /** The only files to list, if they are named. */
  readonly fileList: ReadonlySet<string> | undefined;
  /** Rules exclude whole directories, so that listing them one by one may save most of the work. */
  readonly prunesDirs?: boolean;
  keepFile(file: FileEntry): boolean;
  /** Whether the path of a file passes. */
  keepPath(path: string): boolean;
  keepDir(path: string): boolean;
}

/** Whether entries belong to a listing. */
export interface EntryTest {
  keepEntry(entry: Entry): boolean | Promise<boolean>;
  /** Whether a directory has a file that excludes it (`--exclude-if-present`). */
  isMarked(dir: string): boolean | Promise<boolean>;
  /** Whether all directories above a path are kept; fast for paths in order. */
  keepParents(path: string): boolean;
}

/**
 * The filter for the entries of one remote; requests times and marker files that the listing lacks. A file that is
 * gone by then is skipped; another whose time is not available goes to `onError` and is skipped.
 */
export function entryTest(
  remote: Remote,
  filter: ListingFilter,
  op: Op,
  onError: (thrown: unknown, path: string) => void,
): EntryTest {
  const { markerFiles } = filter;
  const complete = detailsForFilter(remote, filter, op);

  const holdsMarker = async (dir: string) => {
    for (const name of markerFiles) {
      const marker = await remote.stat(joinPath(dir, name), op);
      if (marker?.kind === 'file') return true;
    }
    return false;
  };
  const isMarked = (dir: string) => markerFiles.length > 0 && holdsMarker(dir);

  const keepFile = (file: FileEntry) => {
    if (!filter.keepFile(file)) return false;
    const completed = complete?.(file) ?? file;
    if (!(completed instanceof Promise)) return completed === file || filter.keepFile(completed);
    return completed.then(
      (detailed) => filter.keepFile(detailed),
      (thrown: unknown) => {
        op.signal.throwIfAborted();
        if (!hasCode(thrown, 'file-not-found')) onError(thrown, file.path);
        return false;
      },
    );
  };
  const keepDir = ({ path }: DirEntry) => {
    if (!filter.keepDir(path)) return false;
    const marked = isMarked(path);
    return marked instanceof Promise ? marked.then((is) => !is) : !marked;
  };

  return {
    isMarked,
    keepEntry: (entry) => (entry.kind === 'file' ? keepFile(entry) : keepDir(entry)),
    keepParents: keptParents(filter.keepDir),
  };
}

/** The kept entries, in their order; with at most `atOnce` requests in parallel. */
export async function keptEntries<E extends Entry>(
  entries: readonly E[],
  test: (entry: E) => boolean | Promise<boolean>,
  atOnce: number,
): Promise<E[]> {
  const kept: E[] = [];
  const answers = orderedBatches(entries, atOnce, (entry) => {
    const answer = test(entry);
    const wrap = (isKept: boolean) => (isKept ? entry : undefined);
    return answer instanceof Promise ? answer.then(wrap) : wrap(answer);
  });
  for await (const batch of answers) {
    for (const entry of batch) if (entry !== undefined) kept.push(entry);
  }
  return kept;
}
