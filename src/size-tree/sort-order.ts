import type { NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';
import { eachRun, sortByKey, sortNames } from './sort-by-key.ts';

/** The order of a directory's entries. */
export type SortBy = 'name' | 'size' | 'count' | 'average' | 'time';

/** An order of the entries of a directory. */
export interface SortOrder {
  readonly by: SortBy;
  /** Names from last to first; all else from least to most. */
  readonly reversed: boolean;
  /** Sizes are lengths, and not what is taken on a disk. */
  readonly isApparent: boolean;
  /** Directories come before all else. */
  readonly dirsFirst: boolean;
  /** Without names that begin with a dot, and without excluded entries. */
  readonly hidesDotfiles: boolean;
  /** Without names that match one of these patterns: `*.o node_modules`. */
  readonly hiddenNames: string;
}

/** By disk usage. */
export const LARGEST_FIRST: SortOrder = {
  by: 'size',
  reversed: false,
  isApparent: false,
  dirsFirst: false,
  hidesDotfiles: false,
  hiddenNames: '',
};

/** The size of an entry as the order has it. */
export function shownSize(
  tree: SizeTree,
  node: NodeId,
  { isApparent }: Pick<SortOrder, 'isApparent'>,
): number {
  return isApparent ? tree.apparentSize(node) : tree.diskUsage(node);
}

const DOT = 0x2e;

/** The entries of a directory in order; equal ones by name. Sorts 100,000 entries between two frames. */
export function sortedChildren(tree: SizeTree, dir: NodeId, order: SortOrder): Int32Array {
  const isHidden = hiddenTest(tree, order);
  const children = tree.children(dir);
  const shown = isHidden === undefined ? children : children.filter((node) => !isHidden(node));
  const nodes = inOrder(tree, shown, order);
  if (!order.dirsFirst) return nodes;
  const dirs = nodes.filter((node) => tree.isDir(node));
  const others = nodes.filter((node) => !tree.isDir(node));
  nodes.set(dirs);
  nodes.set(others, dirs.length);
  return nodes;
}

function hiddenTest(
  tree: SizeTree,
  { hidesDotfiles, hiddenNames }: SortOrder,
): ((node: NodeId) => boolean) | undefined {
  const { names } = tree;
  const isAside = (node: NodeId) =>
    hidesDotfiles && (names.bytes[names.start(node)] === DOT || tree.isExcluded(node));
  const patterns = hiddenNames.split(' ').filter((pattern) => pattern !== '');
  if (patterns.length === 0) return hidesDotfiles ? isAside : undefined;
  const texts = patterns.map((pattern) =>
    pattern
      .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.'),
  );
  const expression = new RegExp(`^(?:${texts.join('|')})$`, 'su');
  return (node) => isAside(node) || expression.test(tree.name(node));
}

/** The entries of a directory, or only its directories, by the bytes of their names. */
export function childrenByName(tree: SizeTree, dir: NodeId, dirsOnly = false): Int32Array {
  const children = tree.children(dir);
  const nodes = dirsOnly ? children.filter((node) => tree.isDir(node)) : children;
  sortNames(tree, nodes, 0);
  return nodes;
}

/** Sorts the nodes in place. */
function inOrder(tree: SizeTree, nodes: Int32Array, order: SortOrder): Int32Array {
  const { by, reversed } = order;
  if (by === 'name') {
    sortNames(tree, nodes, 0);
    return reversed ? nodes.reverse() : nodes;
  }
  const keyOf = KEYS[by];
  const keys = new Float64Array(nodes.length);
  for (let at = 0; at < nodes.length; at++) keys[at] = keyOf(tree, nodes[at] as NodeId, order);
  sortByKey(nodes, keys, !reversed);
  eachRun(keys, (from, to) => sortNames(tree, nodes.subarray(from, to), 0));
  return nodes;
}

/** What entries are sorted by. */
const KEYS: Readonly<
  Record<Exclude<SortBy, 'name'>, (tree: SizeTree, node: NodeId, order: SortOrder) => number>
> = {
  size: shownSize,
  count: (tree, node) => tree.files(node),
  average: (tree, node) => tree.average(node),
  time(tree, node) {
    const time = tree.timeMs(node);
    return Number.isNaN(time) ? 0 : Math.max(0, time) + 1;
  },
};
