import { SyncerError } from '../core/errors.ts';
import { compareNames } from '../core/name-order.ts';
import { ownText } from '../core/own-text.ts';
import type { DirEntry, Entry, Remote } from '../core/remote.ts';
import { readPages } from '../core/remote-calls.ts';
import { parentPath } from '../core/remote-path.ts';
import { DirsAhead, type PendingDir } from './dirs-ahead.ts';
import { entryTest, keptEntries, type Walk } from './kept-entries.ts';
import { orderedBatches, readAhead } from './ordered-batches.ts';
import { type ArrangeDir, rowsByWalk, type TreeRow } from './tree-rows.ts';

/** How many entries are requested before the first is yielded. */
const BLOCK = 1000;

/**
 * The entries below a remote's root that belong to the run, in batches and always in the same order: by the names'
 * bytes within a directory; a directory's entries before those of its subdirectories; all by path if one flat listing
 * is enough. Memory does not grow with the number of files if the remote lists in order. Rejects if the root cannot
 * be listed.
 */
export async function* walkTree(walk: Walk): AsyncGenerator<readonly Entry[]> {
  const { fileList } = walk.filter;
  const { listTreePage } = walk.remote.can;
  let entries: AsyncGenerator<readonly Entry[]>;
  if (fileList !== undefined) entries = walkListed(walk, fileList, depthOf(walk));
  else if (listTreePage !== undefined && listsFlat(walk)) entries = walkFlat(walk, listTreePage);
  else entries = walkDirs(walk, depthOf(walk));
  for await (const batch of readAhead(entries)) {
    walk.emit({ type: 'listed', entries: batch.length });
    yield batch;
  }
}

/**
 * The same as the rows of a tree, if it goes directory by directory; `undefined`: there is one flat listing, in
 * another order.
 */
export function walkRows(
  walk: Walk,
  arrange: ArrangeDir,
): AsyncGenerator<readonly TreeRow[]> | undefined {
  if (walk.filter.fileList !== undefined || listsFlat(walk)) return undefined;
  return rowsByWalk(walk, depthOf(walk), arrange);
}

/** Whether one flat listing is enough. It lacks directories without files, and includes excluded ones. */
export function listsFlat(
  walk: Pick<Walk, 'remote' | 'filter' | 'want' | 'maxDepth' | 'byDirectory' | 'fastList'>,
): boolean {
  const { remote, filter, want } = walk;
  const { can, traits } = remote;
  return (
    walk.byDirectory !== true &&
    can.listTreePage !== undefined &&
    filter.fileList === undefined &&
    filter.markerFiles.length === 0 &&
    (walk.fastList === true || filter.prunesDirs !== true) &&
    depthOf(walk) < 0 &&
    (want === 'files' || (want === 'all' && !traits.emptyDirs))
  );
}

/** The depth of a listing; 0 is no limit, as in rclone's listings, while it means the root alone in its copies. */
function depthOf({ maxDepth, filter }: Pick<Walk, 'maxDepth' | 'filter'>): number {
  const depth = maxDepth ?? filter.maxDepth;
  return depth === 0 ? -1 : depth;
}

/**
 * The named files (`--files-from`) that exist, each requested by itself, sorted by path. If directories are wanted,
 * those that exist and should have such files come before their files.
 */
async function* walkListed(
  walk: Walk,
  names: ReadonlySet<string>,
  maxDepth: number,
): AsyncGenerator<readonly Entry[]> {
  const { want, op, remote } = walk;
  // Otherwise no file of the list would be found, without an error.
  const mustExist = remote.traits.emptyDirs && remote.root !== '';
  if (mustExist && (await remote.stat('', op)) === undefined) {
    const text = `${remote.title}: directory not found`;
    throw new SyncerError('directory-not-found', text, { path: remote.root });
  }
  const paths = [...names].filter((path) => isWithinDepth(path, maxDepth, want)).sort(compareNames);
  const seen = new Set(['']);
  for (let from = 0; from < paths.length; from += BLOCK) {
    const block = paths.slice(from, from + BLOCK);
    const found = orderedBatches(block, walk.atOnce, async (path) => ({
      path,
      entry: await remote.stat(path, op),
    }));
    for await (const batch of found) {
      const out: Entry[] = [];
      for (const { path, entry } of batch) {
        const file = entry?.kind === 'file' ? entry : undefined;
        if (want !== 'files') {
          // New ones, outermost first.
          const parents: string[] = [];
          for (let dir = parentOf(path); !seen.has(dir); dir = parentOf(dir)) {
            seen.add(dir);
            parents.unshift(dir);
          }
          for (const dir of parents) {
            if (!isWithinDepth(dir, maxDepth, 'files')) continue;
            const parent = await remote.stat(dir, op);
            if (parent?.kind === 'dir') out.push(parent);
            else if (file !== undefined) out.push({ kind: 'dir', path: dir });
          }
        }
        if (file === undefined || want === 'dirs') continue;
        if (isWithinDepth(path, maxDepth, 'files')) out.push(file);
      }
      if (out.length > 0) yield out;
    }
  }
}

/** Whether a path is within the depth; if directories are wanted, those above any file are. */
function isWithinDepth(path: string, maxDepth: number, want: Walk['want']): boolean {
  return want !== 'files' || maxDepth < 0 || path.split('/').length <= maxDepth;
}

/**
 * Walks directory by directory: the entries of one, then its subdirectories one after another. The first pages of
 * later directories are requested ahead. A subdirectory that cannot be listed goes to `onError`.
 */
async function* walkDirs(walk: Walk, maxDepth: number): AsyncGenerator<readonly Entry[]> {
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
async function* walkFlat(
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
        for (let dir = parentOf(path); dir !== '' && !dirs.has(dir); dir = parentOf(dir))
          dirs.add(ownText(dir));
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
  const isKept = (dir: string): boolean =>
    dir === '' || (filter.keepDir(dir) && isKept(parentOf(dir)));
  const kept = [...dirs].filter(isKept).sort(compareNames);
  yield kept.map((path) => known.get(path) ?? { kind: 'dir', path });
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

/** The directory of a key: segments without a name (`a//b`) are no directories, as in rclone. */
const parentOf = (path: string) => parentPath(path).replace(/\/+$/, '');
