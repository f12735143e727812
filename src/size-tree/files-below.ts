import { keptEnd } from './kept-name.ts';
import type { NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';
import { type SortOrder, shownSize } from './sort-order.ts';

/** Where files are looked for, and which of their sizes count. */
export interface FilesBelow {
  readonly tree: SizeTree;
  readonly dir: NodeId;
  readonly order: Pick<SortOrder, 'isApparent'>;
}

/** Files of a group come together in one row. */
export type GroupKey = number | string;

/** Files in an order. */
export interface ListedFiles {
  readonly nodes: readonly NodeId[];
  /** All of them: `nodes` may have fewer. */
  readonly total: number;
}

/** Nodes between two pauses. */
const SLICE = 4096;

/** Calls `take` for each file below a directory, one with several names once. Pauses at each `yield`. */
export function* eachFileBelow(
  { tree, dir }: Pick<FilesBelow, 'tree' | 'dir'>,
  take: (file: NodeId) => void,
): Generator<void> {
  const count = tree.nodes;
  const inside = new Uint8Array(count);
  const linked = new Set<number>();
  inside[dir] = 1;
  for (let node = dir + 1; node < count; node++) {
    if (node % SLICE === 0) yield;
    if (inside[tree.parent(node)] !== 1) continue;
    if (tree.isGone(node) || tree.isExcluded(node)) continue;
    inside[node] = 1;
    if (tree.isDir(node)) continue;
    const link = tree.linkNumber(node);
    if (link !== undefined && linked.size === linked.add(link).size) continue;
    take(node);
  }
}

/** The largest files below a directory, of those that pass the test. */
export function* largestBelow(
  below: FilesBelow,
  most: number,
  test?: (file: NodeId) => boolean,
): Generator<void, ListedFiles> {
  const { tree, order } = below;
  const sizeOf = (file: NodeId) => shownSize(tree, file, order);
  const isLess = (a: NodeId, b: NodeId) => sizeOf(b) - sizeOf(a) || a - b;
  let kept: NodeId[] = [];
  let least = -1;
  let total = 0;
  yield* eachFileBelow(below, (file) => {
    if (test !== undefined && !test(file)) return;
    total++;
    if (sizeOf(file) <= least) return;
    kept.push(file);
    if (kept.length < 4 * most) return;
    kept = kept.sort(isLess).slice(0, most);
    least = sizeOf(kept.at(-1) as NodeId);
  });
  return { nodes: kept.sort(isLess).slice(0, most), total };
}

const DOT = 0x2e;
const MOST_EXTENSION = 16;

/** Short extensions are numbers of their bytes: a text for each of a million files would take too long. */
const MOST_PACKED = 6;

/** The key of a file's extension, capitals as small letters; `''` without one. */
export function extensionKey(tree: SizeTree, file: NodeId): GroupKey {
  const { names } = tree;
  const { bytes } = names;
  const [start, end] = [names.start(file), keptEnd(tree, file)];
  let dot = end - 1;
  while (dot > start && bytes[dot] !== DOT && end - dot <= MOST_EXTENSION) dot--;
  const length = end - dot - 1;
  if (dot <= start || bytes[dot] !== DOT || length === 0) return '';
  if (length > MOST_PACKED) return bytes.toString('utf8', dot + 1, end).toLowerCase();
  let key = 0;
  for (let at = dot + 1; at < end; at++) {
    const byte = bytes[at] as number;
    key = key * 256 + (byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);
  }
  return key;
}

/** The extension of a key. */
export function extensionOf(key: GroupKey): string {
  if (typeof key === 'string') return key;
  const bytes: number[] = [];
  for (let rest = key; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from(bytes).toString('utf8');
}
