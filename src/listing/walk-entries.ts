import { readPages } from '../core/list-dir.ts';
import { compareNames } from '../core/name-order.ts';
import type { DirEntry, Entry, Remote } from '../core/remote.ts';
import { parentPath } from '../core/remote-path.ts';
import { ownText } from '../kit/own-text.ts';
import { DirsAhead, type PendingDir } from './dirs-ahead.ts';
import { entryTest, keptEntries, type Walk } from './kept-entries.ts';

/**
 * Walks directory by directory: the entries of one, then its subdirectories one after another. The first pages of
 * later directories are requested ahead. A subdirectory that cannot be listed goes to `onError`.
 */
export async function* walkDirs(walk: Walk, maxDepth: number): AsyncGenerator<readonly Entry[]> {
  const { remote, op, want, atOnce } = walk;
  const test = entryTest(remote, walk.filter, op, walk.onError);
  const dirs = new DirsAhead(walk);
  const { pending } = dirs;
  pending.push({ path: '', depth: 1 });

  while (pending.length > 0) {
    const dir = pending.pop() as PendingDir;
    const subdirs: string[] = [];
    try {
      if (dir.depth === 1 && (await test.isMarked(''))) return;
      for await (const page of dirs.pagesOf(dir)) {
        const kept = await keptEntries(page, test.keepEntry, atOnce);
        const mayDescend = maxDepth < 0 || dir.depth < maxDepth;
        if (mayDescend)
          for (const entry of kept) if (entry.kind === 'dir') subdirs.push(ownText(entry.path));
        const wanted = want === 'all' ? kept : kept.filter((entry) => `${entry.kind}s` === want);
        if (wanted.length > 0) yield wanted;
      }
    } catch (thrown) {
      if (dir.depth === 1 || op.signal.aborted) throw thrown;
      walk.onError(thrown, dir.path);
    }
    subdirs.sort((a, b) => compareNames(b, a));
    for (const path of subdirs) pending.push({ path, depth: dir.depth + 1 });
    dirs.lookAhead();
  }
}

/**
 * All files in one listing, which needs the fewest requests, sorted by path unless any order will do. If directories
 * are wanted, those with a marker come before their files, others are derived from the paths and come at the end, as
 * in rclone.
 */
export async function* walkFlat(
  walk: Walk,
  listTreePage: NonNullable<Remote['can']['listTreePage']>,
): AsyncGenerator<readonly Entry[]> {
  const { filter, atOnce } = walk;
  const needsMore = filter.needsModTime || filter.needsMetadata === true;
  const op = walk.sizesOnly && !needsMore ? { ...walk.op, sizesOnly: true } : walk.op;
  const test = entryTest(walk.remote, filter, op, walk.onError);
  const readPage = (cursor: string | undefined) => listTreePage('', cursor, { ...op, atOnce });
  const dirs = walk.want === 'all' ? new Set<string>() : undefined;
  const unordered = walk.anyOrder ? walk.remote.can.listTreeUnordered : undefined;
  const marked = new Set<string>();
  const pages =
    unordered?.('', atOnce, op) ??
    readPages(readPage, ({ path, error }) => walk.onError(error, path));
  for await (const listed of pages) {
    const page = dirs === undefined ? listed.filter(({ kind }) => kind === 'file') : listed;
    if (dirs !== undefined) {
      for (const { kind, path } of page) {
        addParents(dirs, path);
        if (kind === 'dir') marked.add(ownText(path));
      }
    }
    if (filter.passesAll) yield page;
    else {
      yield await keptEntries(
        page,
        (entry) => test.keepParents(entry.path) && test.keepEntry(entry),
        atOnce,
      );
    }
  }
  if (dirs === undefined) return;
  const buckets = await bucketsOf(walk);
  for (const path of marked) dirs.delete(path);
  for (const { path } of buckets) dirs.add(path);
  const known = new Map(buckets.map((bucket) => [bucket.path, bucket]));
  yield dirEntries([...dirs], walk).map((dir) => known.get(dir.path) ?? dir);
}

/** All buckets, if the walk starts above them: a listing of files lacks empty ones. */
async function bucketsOf({ remote, op, onError }: Walk): Promise<readonly DirEntry[]> {
  if (!remote.traits.bucketBased || remote.root !== '') return [];
  const buckets: DirEntry[] = [];
  const readPage = (cursor: string | undefined) => remote.listPage('', cursor, op);
  for await (const page of readPages(readPage, ({ path, error }) => onError(error, path))) {
    for (const entry of page) if (entry.kind === 'dir') buckets.push(entry);
  }
  return buckets;
}

function addParents(dirs: Set<string>, path: string): void {
  for (let dir = parentOf(path); dir !== '' && !dirs.has(dir); dir = parentOf(dir))
    dirs.add(ownText(dir));
}

function dirEntries(dirs: string[], { filter }: Walk): DirEntry[] {
  const isKept = (dir: string): boolean =>
    dir === '' || (filter.keepDir(dir) && isKept(parentOf(dir)));
  return dirs
    .filter(isKept)
    .sort(compareNames)
    .map((path) => ({ kind: 'dir', path }));
}

/** The directory of a key: segments without a name (`a//b`) are no directories, as in rclone. */
export const parentOf = (path: string) => parentPath(path).replace(/\/+$/, '');
