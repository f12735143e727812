import type { NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';

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

export type SizeKind = Pick<SortOrder, 'isApparent'>;

/** The size of an entry as the order has it. */
export function shownSize(tree: SizeTree, node: NodeId, { isApparent }: SizeKind): number {
  return isApparent ? tree.apparentSize(node) : tree.diskUsage(node);
}

const DOT = 0x2e;

/** The entries of a directory in order; equal ones by name. Sorts 100,000 entries between two frames. */
export function sortedChildren(tree: SizeTree, dir: NodeId, order: SortOrder): Int32Array {
  const { by, reversed } = order;
  const isHidden = hiddenTest(tree, order);
  const children = tree.children(dir);
  const nodes = isHidden === undefined ? children : children.filter((node) => !isHidden(node));
  if (by === 'name') {
    sortNames(tree, nodes, 0);
    if (reversed) nodes.reverse();
  } else {
    const keyOf = KEYS[by];
    const keys = new Float64Array(nodes.length);
    for (let at = 0; at < nodes.length; at++) keys[at] = keyOf(tree, nodes[at] as NodeId, order);
    sortByKey(nodes, keys, !reversed);
    eachRun(keys, (from, to) => sortNames(tree, nodes.subarray(from, to), 0));
  }
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

const DIGITS = 1 << 16;

/** Below this, comparing is faster than counting. */
const FEW = 1024;

/**
 * Sorts nodes by their keys, both in place; stable. Keys are neither negative nor `NaN`. Linear time: the bits of
 * such numbers are in their order, and are counted 16 at a time.
 */
export function sortByKey(nodes: Int32Array, keys: Float64Array, descending: boolean): void {
  const count = nodes.length;
  if (count <= FEW) {
    const sign = descending ? -1 : 1;
    const [oldNodes, oldKeys] = [nodes.slice(), keys.slice()];
    const places = Array.from(nodes.keys()).sort(
      (a, b) => sign * ((oldKeys[a] as number) - (oldKeys[b] as number)) || a - b,
    );
    places.forEach((from, to) => {
      nodes[to] = oldNodes[from] as number;
      keys[to] = oldKeys[from] as number;
    });
    return;
  }
  let from = { nodes, keys };
  let to: typeof from = { nodes: new Int32Array(count), keys: new Float64Array(count) };
  const places = new Uint32Array(DIGITS);
  for (let digit = 0; digit < 4; digit++) {
    const words = new Uint16Array(from.keys.buffer, from.keys.byteOffset, count * 4);
    places.fill(0);
    for (let at = digit; at < words.length; at += 4) {
      const word = words[at] as number;
      places[word] = (places[word] as number) + 1;
    }
    if (places[words[digit] as number] === count) continue;
    // From the number of each digit to the place of its first one.
    for (let step = 0, sum = 0; step < DIGITS; step++) {
      const word = descending ? DIGITS - 1 - step : step;
      const same = places[word] as number;
      places[word] = sum;
      sum += same;
    }
    for (let at = 0; at < count; at++) {
      const word = words[at * 4 + digit] as number;
      const place = places[word] as number;
      places[word] = place + 1;
      to.nodes[place] = from.nodes[at] as number;
      to.keys[place] = from.keys[at] as number;
    }
    [from, to] = [to, from];
  }
  if (from.nodes !== nodes) {
    nodes.set(from.nodes);
    keys.set(from.keys);
  }
}

/** Few enough to be compared one with another. */
const FEW_NAMES = 256;

/** Bytes of a name in one number. */
const KEY_BYTES = 6;

/** Names with a longer common start are compared one by one. */
const MOST_ROUNDS = 64;

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
  if (nodes.length <= FEW_NAMES || round > MOST_ROUNDS) {
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
