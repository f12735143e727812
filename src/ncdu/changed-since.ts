import { hasCode, SyncerError, toSyncerError } from '../core/errors.ts';
import { readPages } from '../core/list-dir.ts';
import { type ModTime, modTimeToMs } from '../core/mod-time.ts';
import type { Op } from '../core/remote.ts';
import { createTaskPool } from '../engine/task-pool.ts';
import { type EntryPair, pairedChildren, type ScanPair } from '../size-tree/dir-changes.ts';
import { type NodeId, ROOT } from '../size-tree/node.ts';
import { NONE } from '../size-tree/node-figures.ts';
import { SizeTree } from '../size-tree/size-tree.ts';
import { TreeFeed } from '../size-tree/tree-feed.ts';
import { type Scanned, scanTree } from './scan-tree.ts';

/** A directory is listed to check a file in it if it has at most this many entries: one page of a listing. */
const LISTED_PER_FILE = 1000;

/** A server reports the time of one object in whole seconds. */
const SECOND_MS = 1000;

/**
 * Lists directories and looks at files again. Resolves to the files that are there, below these nodes or among them,
 * and are no longer what was scanned, and to the nodes that could not be examined, which it reports.
 */
export async function changedSince(
  scanned: Scanned,
  nodes: readonly NodeId[],
  fail: (node: NodeId, message: string) => void,
  op: Op,
): Promise<ReadonlySet<NodeId>> {
  const { tree } = scanned;
  const changed = new Set<NodeId>();
  const dirs = nodes.filter((node) => tree.isDir(node));
  const files = nodes.filter((node) => !tree.isDir(node));
  const atOnce = Math.max(1, Math.floor(scanned.atOnce / Math.max(1, dirs.length)));
  const pool = createTaskPool(scanned.atOnce, scanned.atOnce);
  const examine = (some: readonly NodeId[], look: () => Promise<Iterable<NodeId>>) =>
    pool.add(async () => {
      if (op.signal.aborted) return;
      try {
        for (const node of await look()) changed.add(node);
      } catch (thrown) {
        // What is gone has not changed.
        if (op.signal.aborted || hasCode(thrown, 'directory-not-found')) return;
        for (const node of some) {
          changed.add(node);
          fail(node, `not deleted: ${toSyncerError(thrown).message}`);
        }
      }
    });
  for (const dir of dirs) await examine([dir], () => changedBelow({ ...scanned, atOnce }, dir, op));
  for (const [dir, some] of Map.groupBy(files, (file) => tree.parent(file))) {
    if (tree.childCount(dir) <= some.length * LISTED_PER_FILE) {
      await examine(some, () => changedIn(scanned, dir, new Set(some), op));
    } else {
      for (const file of some) await examine([file], () => changedFile(scanned, file, op));
    }
  }
  await pool.idle();
  op.signal.throwIfAborted();
  return changed;
}

async function changedBelow(scanned: Scanned, dir: NodeId, op: Op): Promise<Iterable<NodeId>> {
  const { tree } = scanned;
  const now = new SizeTree();
  await scanTree({ ...scanned, tree: now }, { into: ROOT, path: tree.path(dir) }, op);
  const [failure] = now.failures();
  if (failure !== undefined) {
    throw new SyncerError('other', `part of it could not be listed: ${failure[1]}`);
  }
  const changed: NodeId[] = [];
  const pending: EntryPair[] = [{ before: dir, after: ROOT }];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const pair of pairedChildren({ before: tree, after: now }, at)) {
      if (pair.before === NONE || pair.after === NONE) continue;
      if (tree.isDir(pair.before)) pending.push(pair);
      else if (!isSame({ before: tree, after: now }, pair)) changed.push(pair.before);
    }
  }
  return changed;
}

async function changedIn(
  { tree, remote }: Scanned,
  dir: NodeId,
  files: ReadonlySet<NodeId>,
  op: Op,
): Promise<Iterable<NodeId>> {
  const now = new SizeTree();
  const feed = new TreeFeed(now, ROOT);
  const path = tree.path(dir);
  const list = remote.can.listUsage ?? remote.listPage.bind(remote);
  const pages = readPages(
    (cursor) => list(path, cursor, op),
    ({ error }) => {
      throw error;
    },
  );
  for await (const page of pages) feed.dirPage(ROOT, page);
  const scans = { before: tree, after: now };
  return [...pairedChildren(scans, { before: dir, after: ROOT })]
    .filter((pair) => files.has(pair.before) && pair.after !== NONE && !isSame(scans, pair))
    .map(({ before }) => before);
}

async function changedFile(
  { tree, remote }: Scanned,
  file: NodeId,
  op: Op,
): Promise<Iterable<NodeId>> {
  const now = await remote.stat(tree.path(file), op);
  if (now === undefined) return [];
  const isAt = (time: ModTime | undefined) =>
    time !== undefined && Math.abs(modTimeToMs(time) - tree.timeMs(file)) < SECOND_MS;
  const isSameFile =
    now.kind === 'file' &&
    now.size === sizeOf(tree, file) &&
    (Number.isNaN(tree.timeMs(file)) || isAt(now.modTime) || isAt(now.storedTime));
  return isSameFile ? [] : [file];
}

/** Whether two files have the same size, and the same hash or, without hashes, the same time. */
function isSame({ before: old, after: now }: ScanPair, { before, after }: EntryPair): boolean {
  if (sizeOf(old, before) !== sizeOf(now, after)) return false;
  const [hash, other] = [old.objects.hashKey(before), now.objects.hashKey(after)];
  if (hash !== 0 && other !== 0) return hash === other;
  const difference = old.timeMs(before) - now.timeMs(after);
  return Number.isNaN(difference) || difference === 0;
}

function sizeOf(tree: SizeTree, file: NodeId): number {
  return tree.isSizeUnknown(file) ? -1 : tree.size(file);
}
