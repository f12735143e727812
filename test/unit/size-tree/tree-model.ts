import { type NodeId, ROOT } from '../../../src/size-tree/node.ts';
import type { SizeTree } from '../../../src/size-tree/size-tree.ts';

/** A tree as plain objects: what its figures must come to. */
export interface ModelNode {
  readonly id: NodeId;
  readonly name: string;
  readonly size: number;
  readonly children: ModelNode[] | undefined;
}

/** Sums that a model node must have. */
export function modelFigures(node: ModelNode): { size: number; files: number; unknown: number } {
  if (node.children === undefined) {
    return { size: Math.max(0, node.size), files: 1, unknown: node.size < 0 ? 1 : 0 };
  }
  const sums = node.children.map(modelFigures);
  const total = (of: (sum: ReturnType<typeof modelFigures>) => number) =>
    sums.reduce((sum, one) => sum + of(one), 0);
  return {
    size: total(({ size }) => size),
    files: total(({ files }) => files),
    unknown: total(({ unknown }) => unknown),
  };
}

/** Every path of a tree with its size; directories end in a slash. */
export function treePaths(tree: SizeTree, dir: NodeId = ROOT): Record<string, number> {
  const paths: Record<string, number> = {};
  for (const child of tree.children(dir)) {
    if (tree.isDir(child)) {
      paths[`${tree.path(child)}/`] = tree.size(child);
      Object.assign(paths, treePaths(tree, child));
    } else paths[tree.path(child)] = tree.isSizeUnknown(child) ? -1 : tree.size(child);
  }
  return paths;
}
