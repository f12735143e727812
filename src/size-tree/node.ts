import type { DiskUsage, Kept } from '../core/entry-details.ts';
import type { Hashes } from '../core/hash-names.ts';

/** The number of a file or directory in a `SizeTree`; never used again for another. */
export type NodeId = number;

/** The properties of a new node. */
export interface NewNode {
  readonly name: string;
  readonly isDir: boolean;
  /** In bytes; -1 if unknown; meaningless for directories. */
  readonly size: number;
  /** Milliseconds since the epoch; `NaN` unknown. */
  readonly timeMs: number;
  /** Absent where it lies on no disk. */
  readonly usage?: DiskUsage | undefined;
  /** Which of several things under one path. */
  readonly kept?: Kept | undefined;
  /** Storage class or tier. */
  readonly tier?: string | undefined;
  readonly hashes?: Hashes | undefined;
}

/**
 * What ncdu's format notes of an entry whose contents are in no sum: it was left out by a pattern, is on another file
 * system (`otherfs`, and ncdu 1's `othfs`), of the kernel's, or a firmlink; or a file that could not be read.
 */
export const SCAN_MARKS = [
  'pattern',
  'otherfs',
  'othfs',
  'kernfs',
  'frmlnk',
  'read_error',
] as const;

export type ScanMark = (typeof SCAN_MARKS)[number];

/** The node at the top of a scan. */
export const ROOT: NodeId = 0;

interface WalkedTree {
  isDir(node: NodeId): boolean;
  children(dir: NodeId): Int32Array;
  parent(node: NodeId): NodeId;
}

/** The node itself and all below it that `isLeftOut` does not leave out, a directory before its entries. */
export function* nodesBelow(
  tree: WalkedTree,
  node: NodeId,
  isLeftOut?: (node: NodeId) => boolean,
): Generator<NodeId> {
  const pending = [node];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (isLeftOut?.(at) === true) continue;
    yield at;
    if (tree.isDir(at)) for (const child of tree.children(at)) pending.push(child);
  }
}

/** Whether `node` is `dir` or below it. */
export function isNodeWithin(tree: WalkedTree, dir: NodeId, node: NodeId): boolean {
  for (let at = node; at !== -1; at = tree.parent(at)) if (at === dir) return true;
  return false;
}
