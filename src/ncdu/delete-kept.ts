import type { DeleteReport } from '../browser/browser-effects.ts';
import { hasCode, toSyncerError } from '../core/errors.ts';
import { type FileEntry, mostDeleted, type Op } from '../core/remote.ts';
import { deleteBudget } from '../engine/run-limits.ts';
import { createTaskPool } from '../engine/task-pool.ts';
import { keptPath } from '../size-tree/kept-name.ts';
import type { NodeId } from '../size-tree/node.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';
import type { Scanned } from './scan-tree.ts';

/** What is removed: some entries of a scan. */
export interface Removal extends Scanned {
  /** How many of these files may be deleted (`--max-delete`, `--max-delete-size`); the others fail. */
  readonly mayGo: (files: number, sizes: readonly number[]) => number;
  /** Why others may not. */
  readonly refusal?: () => Error;
}

/**
 * Deletes versions, delete markers and uploads, each by its own name on the server. The newest version of an object
 * goes last, and only if no older one is left: that would become the current object.
 */
export async function removeKept(
  removal: Removal,
  nodes: readonly NodeId[],
  report: DeleteReport,
  op: Op,
): Promise<void> {
  const { tree, filter } = removal;
  const newest = nodes.filter((node) => isNewest(tree, node));
  await removeAll(
    removal,
    nodes.filter((node) => !isNewest(tree, node)),
    report,
    op,
  );
  const isBare = barePaths(tree, newest);
  const free: NodeId[] = [];
  for (const node of newest) {
    const dir = tree.parent(node);
    const isKnown = filter.passesAll && tree.isWhole(dir) && tree.errorOf(dir) === undefined;
    if (isKnown && isBare(node)) free.push(node);
    else report.failed(node, tree.path(node), isKnown ? RESTORES : MAY_RESTORE);
  }
  await removeAll(removal, free, report, op);
}

const RESTORES = 'not deleted: an older version would become current';
const MAY_RESTORE = 'not deleted: an older version outside of this scan may become current';

function isNewest(tree: SizeTree, node: NodeId): boolean {
  const kind = tree.keptKind(node);
  return kind === 'current' || kind === 'marker';
}

/** Whether no older version of an object is left in the tree. */
function barePaths(tree: SizeTree, newest: readonly NodeId[]): (node: NodeId) => boolean {
  const dirs = new Set(newest.map((node) => tree.parent(node)));
  const held = new Set<string>();
  for (const dir of dirs) {
    for (const node of tree.children(dir)) {
      const kind = tree.keptKind(node);
      if (kind === 'old' || kind === 'old-marker') held.add(keptPath(tree, node));
    }
  }
  return (node) => !held.has(keptPath(tree, node));
}

async function removeAll(
  removal: Removal,
  nodes: readonly NodeId[],
  report: DeleteReport,
  op: Op,
): Promise<void> {
  const { remote, tree, atOnce, mayGo } = removal;
  const pool = createTaskPool(atOnce, atOnce);
  const remove = async (some: readonly NodeId[]) => {
    const files = new Map<FileEntry, NodeId>();
    for (const node of some) {
      const kept = tree.keptAs(node);
      if (kept === undefined) continue;
      files.set({ kind: 'file', path: keptPath(tree, node), size: tree.size(node), kept }, node);
    }
    const failures = await remote.can
      .deleteKept?.([...files.keys()], op)
      .catch((thrown) => new Map([...files.keys()].map((file) => [file, toSyncerError(thrown)])));
    if (op.signal.aborted) return report.unknown([...files.values()]);
    const gone: NodeId[] = [];
    for (const [file, node] of files) {
      const failure = failures?.get(file);
      if (failure === undefined) gone.push(node);
      else if (hasCode(failure, 'file-not-found')) report.vanished([node]);
      else report.failed(node, tree.path(node), toSyncerError(failure).message);
    }
    if (gone.length > 0) report.gone(gone);
  };
  for (let from = 0; from < nodes.length && !op.signal.aborted; from += mostDeleted) {
    const some = nodes.slice(from, from + mostDeleted);
    const free = mayGo(
      some.length,
      some.map((node) => tree.size(node)),
    );
    if (free > 0) await pool.add(() => remove(some.slice(0, free)));
    for (const node of some.slice(free)) {
      report.failed(node, tree.path(node), refusal(removal));
    }
  }
  await pool.idle();
  op.signal.throwIfAborted();
}

/** The message of a file that may not be deleted. */
export function refusal(removal: Removal): string {
  return (removal.refusal?.() ?? deleteBudget(0).error()).message;
}
