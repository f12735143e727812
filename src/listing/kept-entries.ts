import { hasCode } from '../core/errors.ts';
import type { DirEntry, Entry, FileEntry, Op, Remote } from '../core/remote.ts';
import { joinPath, parentPath } from '../core/remote-path.ts';
import { orderedBatches } from './ordered-batches.ts';
import type { ListingFilter } from './walk.ts';

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
  const readDetails = filter.needsModTime ? remote.can.readDetails : undefined;

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
    if (readDetails === undefined || file.modTime !== undefined) return true;
    return readDetails(file, op).then(
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

  let lastParent: string | undefined;
  let lastKept = true;
  return {
    isMarked,
    keepEntry: (entry) => (entry.kind === 'file' ? keepFile(entry) : keepDir(entry)),
    keepParents(path) {
      const parent = parentPath(path);
      if (parent === lastParent) return lastKept;
      lastParent = parent;
      lastKept = true;
      for (let dir = parent; dir !== '' && lastKept; dir = parentPath(dir)) {
        lastKept = filter.keepDir(dir);
      }
      return lastKept;
    },
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
