import type { NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';

const DIGITS = 1 << 16;

interface Keyed {
  readonly nodes: Int32Array;
  readonly keys: Float64Array;
}

/** Below this, comparing is faster than counting. */
const FEW = 1024;

/**
 * Sorts nodes by their keys, both in place; stable. Keys are neither negative nor `NaN`. Linear time: the bits of
 * such numbers are in their order, and are counted 16 at a time.
 */
export function sortByKey(nodes: Int32Array, keys: Float64Array, descending: boolean): void {
  if (nodes.length <= FEW) sortFew(nodes, keys, descending);
  else sortMany(nodes, keys, descending);
}

function sortFew(nodes: Int32Array, keys: Float64Array, descending: boolean): void {
  const sign = descending ? -1 : 1;
  const places = Array.from(nodes.keys()).sort(
    (a, b) => sign * ((keys[a] as number) - (keys[b] as number)) || a - b,
  );
  const [oldNodes, oldKeys] = [nodes.slice(), keys.slice()];
  places.forEach((from, to) => {
    nodes[to] = oldNodes[from] as number;
    keys[to] = oldKeys[from] as number;
  });
}

function sortMany(nodes: Int32Array, keys: Float64Array, descending: boolean): void {
  const count = nodes.length;
  let from: Keyed = { nodes, keys };
  let to: Keyed = { nodes: new Int32Array(count), keys: new Float64Array(count) };
  const places = new Uint32Array(DIGITS);
  for (let digit = 0; digit < 4; digit++) {
    const words = new Uint16Array(from.keys.buffer, from.keys.byteOffset, count * 4);
    places.fill(0);
    for (let at = digit; at < words.length; at += 4) {
      const word = words[at] as number;
      places[word] = (places[word] as number) + 1;
    }
    if (places[words[digit] as number] === count) continue;
    countUp(places, descending);
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

/** From the number of each digit to the place of its first one. */
function countUp(places: Uint32Array, descending: boolean): void {
  let sum = 0;
  for (let at = 0; at < DIGITS; at++) {
    const digit = descending ? DIGITS - 1 - at : at;
    const count = places[digit] as number;
    places[digit] = sum;
    sum += count;
  }
}

/** Few enough to be compared one with another. */
const FEW_NAMES = 256;

/** Bytes of a name in one number. */
const KEY_BYTES = 6;

/** Names with a longer common start are compared one by one. */
const MOST_ROUNDS = 64;

/** Calls `take` for each run of two or more equal keys. */
export function eachRun(keys: Float64Array, take: (from: number, to: number) => void): void {
  let from = 0;
  for (let to = 1; to <= keys.length; to++) {
    if (keys[to] === keys[from]) continue;
    if (to - from > 1) take(from, to);
    from = to;
  }
}

/** Names in listings are mostly sorted; others are sorted by the bytes after their common start. */
export function sortNames(tree: SizeTree, nodes: Int32Array, round: number): void {
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
