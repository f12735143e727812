import type { NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';
import { sortByKey } from './sort-by-key.ts';

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

/** Few enough to be compared one with another. */
const FEW = 256;

/** Bytes of a name in one number. */
const KEY_BYTES = 6;

/** Names with a longer common start are compared one by one. */
const MOST_ROUNDS = 64;

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
  const keyOf = keyReader(tree, by, order);
  const keys = new Float64Array(nodes.length);
  for (let at = 0; at < nodes.length; at++) keys[at] = keyOf(nodes[at] as NodeId);
  sortByKey(nodes, keys, !reversed);
  eachRun(keys, (from, to) => sortNames(tree, nodes.subarray(from, to), 0));
  return nodes;
}

function keyReader(
  tree: SizeTree,
  by: Exclude<SortBy, 'name'>,
  order: SortOrder,
): (node: NodeId) => number {
  switch (by) {
    case 'size':
      return (node) => shownSize(tree, node, order);
    case 'count':
      return (node) => tree.files(node);
    case 'average':
      return (node) => tree.average(node);
    case 'time':
      return (node) => {
        const time = tree.timeMs(node);
        return Number.isNaN(time) ? 0 : Math.max(0, time) + 1;
      };
  }
}

/** Calls `take` for each run of two or more equal keys. */
function eachRun(keys: Float64Array, take: (from: number, to: number) => void): void {
  let from = 0;
  for (let to = 1; to <= keys.length; to++) {
    if (keys[to] === keys[from]) continue;
    if (to - from > 1) take(from, to);
    from = to;
  }
}

/** Names in listings are mostly sorted; others are sorted by the bytes after their common start. */
function sortNames(tree: SizeTree, nodes: Int32Array, round: number): void {
  const { names } = tree;
  if (isInOrder(tree, nodes)) return;
  if (nodes.length <= FEW || round > MOST_ROUNDS) {
    nodes.sort((a, b) => names.compare(a, b));
    return;
  }
  const common = commonLength(tree, nodes);
  const keys = new Float64Array(nodes.length);
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at] as NodeId;
    const [start, end] = [names.start(node) + common, names.end(node)];
    let key = 0;
    for (let i = start; i < start + KEY_BYTES; i++) {
      key = key * 256 + (i < end ? (names.bytes[i] as number) : 0);
    }
    keys[at] = key;
  }
  sortByKey(nodes, keys, false);
  eachRun(keys, (from, to) => sortNames(tree, nodes.subarray(from, to), round + 1));
}

function isInOrder({ names }: SizeTree, nodes: Int32Array): boolean {
  for (let at = 1; at < nodes.length; at++) {
    if (names.compare(nodes[at - 1] as NodeId, nodes[at] as NodeId) > 0) return false;
  }
  return true;
}

/** The length of the common start of all names, in bytes. */
function commonLength({ names }: SizeTree, nodes: Int32Array): number {
  const first = nodes[0] as NodeId;
  const start = names.start(first);
  let common = names.end(first) - start;
  for (const node of nodes) {
    const from = names.start(node);
    common = Math.min(common, names.end(node) - from);
    let same = 0;
    while (same < common && names.bytes[from + same] === names.bytes[start + same]) same++;
    common = same;
    if (common === 0) return 0;
  }
  return common;
}
