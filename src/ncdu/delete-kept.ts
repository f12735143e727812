import type { DeleteReport } from '../browser/browser-effects.ts';
import { hasCode, toSyncerError } from '../core/errors.ts';
import type { FileEntry, Op } from '../core/remote.ts';
import { keptPath } from '../size-tree/kept-name.ts';
import type { NodeId } from '../size-tree/node.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';
import { deleteBudget } from '../sync/run-limits.ts';
import { createTaskPool } from '../sync/task-pool.ts';
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
  const remove = async (node: NodeId) => {
    const kept = tree.keptAs(node);
    const path = keptPath(tree, node);
    if (kept === undefined) return;
    const file: FileEntry = { kind: 'file', path, size: tree.size(node), kept };
    try {
      await remote.can.deleteKept?.(file, op);
      report.gone([node]);
    } catch (thrown) {
      if (op.signal.aborted) return;
      if (hasCode(thrown, 'file-not-found')) report.vanished([node]);
      else report.failed(node, tree.path(node), toSyncerError(thrown).message);
    }
  };
  for (const node of nodes) {
    if (op.signal.aborted) break;
    if (mayGo(1, [tree.size(node)]) === 1) await pool.add(() => remove(node));
    else report.failed(node, tree.path(node), refusal(removal));
  }
  await pool.idle();
  op.signal.throwIfAborted();
}

/** The message of a file that may not be deleted. */
export function refusal(removal: Removal): string {
  return (removal.refusal?.() ?? deleteBudget(0).error()).message;
}
