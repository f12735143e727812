import { readPages } from '../core/list-dir.ts';
import { compareNames } from '../core/name-order.ts';
import type { DirEntry, Entry, Remote } from '../core/remote.ts';
import { parentPath } from '../core/remote-path.ts';
import { entryTest, keptEntries, type Walk } from './kept-entries.ts';

/**
 * All files in one listing without directories, which needs the fewest requests, sorted by path unless any order will
 * do. If directories are wanted, they are derived from the paths of the files and come at the end, as in rclone.
 */
export async function* walkFlat(
  walk: Walk,
  listTreePage: NonNullable<Remote['can']['listTreePage']>,
): AsyncGenerator<readonly Entry[]> {
  const { filter, op, atOnce } = walk;
  const test = entryTest(walk.remote, filter, op, walk.onError);
  const readPage = (cursor: string | undefined) => listTreePage('', cursor, op);
  const dirs = walk.want === 'all' ? new Set<string>() : undefined;
  const unordered = walk.anyOrder ? walk.remote.can.listTreeUnordered : undefined;
  const pages =
    unordered?.('', atOnce, op) ??
    readPages(readPage, ({ path, error }) => walk.onError(error, path));
  for await (const page of pages) {
    if (dirs !== undefined) for (const { path } of page) addParents(dirs, path);
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
  for (let dir = parentOf(path); dir !== '' && !dirs.has(dir); dir = parentOf(dir)) dirs.add(dir);
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
