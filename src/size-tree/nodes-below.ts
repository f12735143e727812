import type { NodeId } from './node.ts';

/** What a walk needs of a tree. */
interface WalkedTree {
  isDir(node: NodeId): boolean;
  children(dir: NodeId): Int32Array;
  parent(node: NodeId): NodeId;
}

/** The node itself and all below it, a directory before its entries. */
export function* nodesBelow(tree: WalkedTree, node: NodeId): Generator<NodeId> {
  const pending = [node];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    yield at;
    if (tree.isDir(at)) for (const child of tree.children(at)) pending.push(child);
  }
}

/** Whether `node` is `dir` or below it. */
export function isNodeWithin(tree: WalkedTree, dir: NodeId, node: NodeId): boolean {
  for (let at = node; at !== -1; at = tree.parent(at)) if (at === dir) return true;
  return false;
}
