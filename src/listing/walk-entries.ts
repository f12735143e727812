import { readPages } from '../core/list-dir.ts';
import { compareNames } from '../core/name-order.ts';
import type { DirEntry, Entry, Page, Remote } from '../core/remote.ts';
import { parentPath } from '../core/remote-path.ts';
import { ownText } from '../kit/own-text.ts';
import { entryTest, keptEntries, type Walk } from './kept-entries.ts';
import { collectedByName, nameSorted } from './name-sorted.ts';

/** A directory still to be walked. */
interface PendingDir {
  readonly path: string;
  /** The root's entries have depth 1. */
  readonly depth: number;
  /** Its first page, if requested ahead. */
  first?: Promise<Page>;
}

/** First pages that are kept for later. */
const MOST_AHEAD = 64;

/**
 * Walks directory by directory: the entries of one, then its subdirectories one after another. The first pages of
 * later directories are requested ahead. A subdirectory that cannot be listed goes to `onError`.
 */
export async function* walkDirs(walk: Walk, maxDepth: number): AsyncGenerator<readonly Entry[]> {
  const { remote, op, want, atOnce } = walk;
  const test = entryTest(remote, walk.filter, op, walk.onError);
  const pending: PendingDir[] = [{ path: '', depth: 1 }];
  let underWay = 0;
  let ahead = 0;

  const firstPage = (dir: PendingDir) => {
    underWay++;
    const page = remote.listPage(dir.path, undefined, op).finally(() => underWay--);
    page.catch(() => undefined);
    return page;
  };
  const lookAhead = () => {
    if (remote.traits.onDisk) return;
    for (let i = pending.length - 1; i >= 0 && underWay < atOnce && ahead < MOST_AHEAD; i--) {
      const dir = pending[i];
      if (dir === undefined || dir.first !== undefined) continue;
      dir.first = firstPage(dir);
      ahead++;
    }
  };
  const pagesOf = (dir: PendingDir) => {
    if (dir.first !== undefined) ahead--;
    const readPage = (cursor: string | undefined) =>
      cursor === undefined ? (dir.first ?? firstPage(dir)) : remote.listPage(dir.path, cursor, op);
    return readPages(readPage, ({ kind, path, error }) => {
      const { filter } = walk;
      if (kind === 'dir' ? filter.keepDir(path) : filter.keepPath(path)) walk.onError(error, path);
    });
  };

  while (pending.length > 0) {
    const dir = pending.pop() as PendingDir;
    const subdirs: string[] = [];
    try {
      if (dir.depth === 1 && (await test.isMarked(''))) return;
      for await (const page of inOrder(walk, pagesOf(dir))) {
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
    lookAhead();
  }
}

/** The pages of one directory sorted by name, unless only its files matter and come sorted. */
function inOrder(
  { remote, want, op }: Walk,
  pages: AsyncGenerator<readonly Entry[]>,
): AsyncIterable<readonly Entry[]> {
  if (!remote.traits.sortedPages) return collectedByName(pages);
  if (want === 'files') return pages;
  return nameSorted(pages, async (path) => {
    const { entries } = await remote.listPage(path, undefined, op);
    return entries.length > 0 ? { kind: 'dir', path } : undefined;
  });
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
  const { filter, op, atOnce } = walk;
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
