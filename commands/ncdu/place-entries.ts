import { hasCode, SyncerError } from '../../src/core/errors.ts';
import type { Entry, Op } from '../../src/core/remote.ts';
import { foldPath, joinPath, leafName, parentPath } from '../../src/core/remote-path.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import type { TransferReport } from '../../src/size-tree/browser-effects.ts';
import { findNode } from '../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import { TreeFeed } from '../../src/size-tree/tree-feed.ts';
import { oneTransfer } from './one-transfer.ts';
import { type Scanned, scanTree } from './scan-tree.ts';
import { specBelow, type TransferSource } from './transfer-nodes.ts';

/** Renames an entry in its directory. Rejects with `already-exists`; the tree shows what is there then. */
export async function renameNode(
  invocation: Invocation,
  scanned: TransferSource,
  [node, name]: readonly [NodeId, string],
  report: TransferReport,
  op: Op,
): Promise<void> {
  const { tree, remote, spec } = scanned;
  const path = tree.path(node);
  const dir = tree.parent(node);
  if (isAtTop(scanned, dir)) throw new SyncerError('unsupported', 'a bucket cannot be renamed');
  const to = joinPath(parentPath(path), name);
  // An object may have the name of the directory: the slash says which is meant.
  const slash = tree.isDir(node) ? '/' : '';
  const ends = { from: `${specBelow(spec, path)}${slash}`, to: specBelow(spec, to) };
  const isOtherCase = foldPath(remote, to) === foldPath(remote, path);
  if (!isOtherCase) await refuseExisting(scanned, to, op);
  try {
    let files = 0;
    const done = (count: number) => {
      files += count;
      report.done(count);
    };
    await oneTransfer(invocation, { verb: 'move', ...ends }, { ...report, done }, op);
    tree.rename(node, name);
    if (files > 0) return;
    report.bytes(tree.size(node));
    report.done(tree.files(node));
  } catch (thrown) {
    await lookAgain(scanned, dir, name, op);
    await lookAgain(scanned, dir, leafName(path), op);
    throw thrown;
  }
}

/** Creates a directory, or a bucket. Rejects with `already-exists`, or `unsupported` below a bucket. */
export async function makeDirNode(scanned: Scanned, dir: NodeId, name: string, op: Op) {
  const { tree, remote } = scanned;
  const path = joinPath(tree.path(dir), name);
  if (!remote.traits.emptyDirs && !isAtTop(scanned, dir)) {
    const how = 'a directory is there when a file is in it: upload one';
    throw new SyncerError('unsupported', `object storage has no empty directories; ${how}`);
  }
  await refuseExisting(scanned, path, op);
  await remote.makeDir(path, op);
  await lookAgain(scanned, dir, name, op);
}

/** Shows in the tree what is there now under a name. */
export async function lookAgain(
  scanned: Scanned,
  dir: NodeId,
  name: string,
  op: Op,
): Promise<void> {
  const { tree } = scanned;
  if (!tree.isThere(dir)) return;
  const path = joinPath(tree.path(dir), name);
  let entry: Entry | undefined;
  try {
    entry = await entryNow(scanned, dir, path, op);
  } catch (thrown) {
    if (dir === ROOT || !hasCode(thrown, 'directory-not-found')) throw thrown;
    // Its directory is gone, too.
    await lookAgain(scanned, tree.parent(dir), tree.name(dir), op);
    return;
  }
  const into = tree.addRoot();
  if (entry?.kind === 'dir') await scanTree(scanned, { into, path }, op);
  const old = findNode(tree, dir, name);
  if (old !== undefined && entry?.kind === 'dir' && tree.isDir(old)) {
    tree.replaceContents(old, into);
    return;
  }
  if (old !== undefined) tree.remove([old]);
  if (entry === undefined) return;
  const [added] = new TreeFeed(tree, dir).dirPage(dir, [entry]);
  if (added !== undefined) tree.replaceContents(added, into);
}

/** The entry, on a disk with what it takes there. */
async function entryNow(
  { remote, tree }: Scanned,
  dir: NodeId,
  path: string,
  op: Op,
): Promise<Entry | undefined> {
  const { listUsage } = remote.can;
  if (listUsage === undefined) return remote.stat(path, op);
  let cursor: string | undefined;
  do {
    const page = await listUsage(tree.path(dir), cursor, op);
    const found = page.entries.find((entry) => entry.path === path);
    if (found !== undefined) return found;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return undefined;
}

async function refuseExisting({ remote }: Scanned, path: string, op: Op): Promise<void> {
  const there = await remote.stat(path, op);
  const found = there?.kind === 'dir' ? 'a directory' : 'a file';
  const what = there === undefined ? await remote.can.unlistedAt?.(path, op) : found;
  if (what === undefined) return;
  throw new SyncerError('already-exists', `"${path}" exists already: it is ${what}`);
}

/** Whether the entries of the directory are buckets. */
export function isAtTop({ remote }: Scanned, dir: NodeId): boolean {
  return dir === ROOT && remote.traits.bucketBased && remote.root === '';
}
