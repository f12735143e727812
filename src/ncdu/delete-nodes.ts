import type { DeleteReport } from '../browser/browser-effects.ts';
import { hasCode, toSyncerError } from '../core/errors.ts';
import { compareNames } from '../core/name-order.ts';
import { type FileEntry, mostDeleted, type Op } from '../core/remote.ts';
import { createTaskPool } from '../engine/task-pool.ts';
import { counted } from '../kit/counted.ts';
import { type NodeId, nodesBelow } from '../size-tree/node.ts';
import { changedSince } from './changed-since.ts';
import { type Removal, refusal, removeKept } from './delete-kept.ts';
import { lookAgain } from './place-entries.ts';
import { scanTree } from './scan-tree.ts';

/** Deleted files are reported at least this often, in milliseconds. */
const TELL_MS = 50;

/**
 * Deletes files and directories of a scan from the store. Of a directory that was scanned to its end only that goes
 * which was seen: files that came later or were replaced stay, and so does it. Many files go in one request where the
 * store can. Failures are reported one by one; rejects where the signal is aborted.
 */
export async function deleteNodes(
  removal: Removal,
  nodes: readonly NodeId[],
  report: DeleteReport,
  op: Op,
): Promise<void> {
  const { tree, remote, filter } = removal;
  const there = nodes.filter((node) => tree.isThere(node));
  const dirs = there.filter((node) => tree.isDir(node));
  const complete = new Set(dirs.filter((dir) => tree.failed(dir) === 0 && tree.isWhole(dir)));
  const failed = new Set<NodeId>();
  const noteFailed = (node: NodeId, message: string) => {
    failed.add(node);
    report.failed(node, tree.path(node), message);
  };
  const noting: DeleteReport = {
    ...report,
    failed: (node, _path, message) => noteFailed(node, message),
  };
  // A version or an upload is deleted by its own name, which no other ever has.
  const checked = tree.hasKept
    ? []
    : there.filter((node) => !tree.isDir(node) || complete.has(node));
  const changed = await changedSince(removal, checked, noteFailed, op);
  await removeFiles(removal, filesBelow(removal, there, changed), noting, op);
  for (const file of checked) {
    if (tree.isDir(file) || !changed.has(file) || failed.has(file)) continue;
    noteFailed(file, 'replaced after the scan: kept');
    await lookAgain(removal, tree.parent(file), tree.name(file), op);
  }
  for (const dir of dirs) {
    op.signal.throwIfAborted();
    if (failed.has(dir)) continue;
    const path = tree.path(dir);
    try {
      const left = await leftIn(removal, dir, noting, complete.has(dir), failed, op);
      if (left > 0) continue;
      const purge = remote.can.purgeUnlisted ?? remote.can.purge;
      if (filter.passesAll && purge !== undefined) await purge(path, op);
      else if (!(await removeDirs(removal, dir, op))) continue;
      report.gone([dir]);
    } catch (thrown) {
      op.signal.throwIfAborted();
      if (!hasCode(thrown, 'directory-not-found')) noteFailed(dir, toSyncerError(thrown).message);
      // Elsewhere a directory goes with its last file.
      else if (remote.traits.emptyDirs) report.vanished([dir]);
      else report.gone([dir]);
    }
  }
}

function* filesBelow(
  { tree }: Removal,
  nodes: readonly NodeId[],
  without: ReadonlySet<NodeId> = new Set(),
): Generator<NodeId> {
  for (const top of nodes) {
    if (without.has(top)) continue;
    for (const node of nodesBelow(tree, top))
      if (!tree.isDir(node) && !without.has(node)) yield node;
  }
}

async function removeFiles(
  removal: Removal,
  files: Iterable<NodeId>,
  report: DeleteReport,
  op: Op,
): Promise<void> {
  const { remote, atOnce } = removal;
  if (removal.tree.hasKept) return removeKept(removal, [...files], report, op);
  const pool = createTaskPool(atOnce, atOnce);
  const told = inBatches(report);
  for (const batch of batches(files, remote.can.deletesAtOnce ?? 1)) {
    if (op.signal.aborted) break;
    const sizes = batch.map((node) => removal.tree.size(node));
    const allowed = batch.slice(0, removal.mayGo(batch.length, sizes));
    for (const node of batch.slice(allowed.length)) {
      report.failed(node, removal.tree.path(node), refusal(removal));
    }
    if (allowed.length > 0) await pool.add(() => removeBatch(removal, allowed, told, op));
  }
  await pool.idle();
  told.flush();
  op.signal.throwIfAborted();
}

/** Files are deleted faster than a tree of 100,000 can be updated one by one: they are reported in batches. */
function inBatches(report: DeleteReport): DeleteReport & { flush(): void } {
  let gone: NodeId[] = [];
  let lastMs = performance.now();
  const flush = () => {
    if (gone.length > 0) report.gone(gone);
    gone = [];
    lastMs = performance.now();
  };
  return {
    ...report,
    gone(nodes) {
      for (const node of nodes) gone.push(node);
      if (gone.length >= mostDeleted || performance.now() - lastMs > TELL_MS) flush();
    },
    flush,
  };
}

async function removeBatch(
  { remote, tree }: Removal,
  nodes: readonly NodeId[],
  report: DeleteReport,
  op: Op,
): Promise<void> {
  const entries = new Map<FileEntry, NodeId>();
  for (const node of nodes) {
    const size = tree.isSizeUnknown(node) ? -1 : tree.size(node);
    entries.set({ kind: 'file', path: tree.path(node), size }, node);
  }
  const fail = (file: FileEntry, thrown: unknown) => {
    const node = entries.get(file) as NodeId;
    if (hasCode(thrown, 'file-not-found')) report.vanished([node]);
    else report.failed(node, file.path, toSyncerError(thrown).message);
  };
  try {
    const failures = await remote.delete([...entries.keys()], op);
    const gone = [...entries].filter(([file]) => !failures.has(file)).map(([, node]) => node);
    report.gone(gone);
    for (const [file, error] of failures) fail(file, error);
  } catch (thrown) {
    if (op.signal.aborted) return report.unknown(nodes);
    for (const file of entries.keys()) fail(file, thrown);
  }
}

function* batches(nodes: Iterable<NodeId>, size: number): Generator<NodeId[]> {
  let batch: NodeId[] = [];
  for (const node of nodes) {
    if (batch.push(node) < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** How many files are left in a directory without its known files; those of an incomplete scan are deleted too. */
async function leftIn(
  removal: Removal,
  dir: NodeId,
  report: DeleteReport,
  wasComplete: boolean,
  failed: ReadonlySet<NodeId>,
  op: Op,
): Promise<number> {
  const { tree } = removal;
  for (const node of failed) if (isBelow(removal, dir, node)) return tree.files(dir);
  try {
    await scanAgain(removal, dir, op);
  } catch (thrown) {
    if (hasCode(thrown, 'directory-not-found')) return 0;
    throw thrown;
  }
  if (tree.failed(dir) > 0) {
    report.failed(dir, tree.path(dir), 'not deleted: part of it could not be listed');
    return Math.max(1, tree.files(dir));
  }
  const found = tree.files(dir);
  if (found === 0) return 0;
  if (wasComplete) {
    report.failed(
      dir,
      tree.path(dir),
      `${counted(found, 'file')} created or replaced after the scan: kept`,
    );
    return found;
  }
  await removeFiles(removal, filesBelow(removal, [dir]), report, op);
  return tree.files(dir);
}

function isBelow({ tree }: Removal, dir: NodeId, node: NodeId): boolean {
  for (let at = node; at !== -1; at = tree.parent(at)) if (at === dir) return true;
  return false;
}

/** Replaces a directory of the tree by what is there now. */
async function scanAgain(removal: Removal, dir: NodeId, op: Op): Promise<void> {
  const { tree } = removal;
  const into = tree.addRoot();
  await scanTree(removal, { into, path: tree.path(dir) }, op);
  tree.replaceContents(dir, into);
}

/** Removes a directory and those below it, deepest first, as far as they are empty; whether it went itself. */
async function removeDirs({ remote, tree }: Removal, dir: NodeId, op: Op): Promise<boolean> {
  if (!remote.traits.emptyDirs) return true;
  const dirs = [...nodesBelow(tree, dir)].filter((node) => tree.isDir(node));
  const paths = dirs.map((node) => tree.path(node)).sort((a, b) => compareNames(b, a));
  let isGone = false;
  for (const path of paths) {
    try {
      await remote.deleteDir(path, op);
      isGone = path === tree.path(dir);
    } catch (thrown) {
      const isMissing = path !== tree.path(dir) && hasCode(thrown, 'directory-not-found');
      if (!isMissing && !hasCode(thrown, 'not-empty')) throw thrown;
    }
  }
  return isGone;
}
