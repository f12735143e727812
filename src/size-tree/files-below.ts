import { keptEnd } from './find-node.ts';
import type { NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';
import { type SizeKind, shownSize } from './sort-order.ts';

/** Where files are looked for, and which of their sizes count. */
export interface FilesBelow {
  readonly tree: SizeTree;
  readonly dir: NodeId;
  readonly order: SizeKind;
}

/** Files of a group come together in one row. */
export type GroupKey = number | string;

/** Files in an order. */
export interface ListedFiles {
  readonly nodes: readonly NodeId[];
  /** All of them: `nodes` may have fewer. */
  readonly total: number;
}

/** Nodes or groups between two pauses. */
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

/** Files that are the same, or may be. */
export interface DuplicateFiles {
  readonly nodes: readonly NodeId[];
  /** Bytes of one of them. */
  readonly size: number;
  /** What they have in common beside their size: the hash of the listing, else names, or nothing; of read ones contents, or not even these. */
  readonly by: 'hash' | 'name' | 'size' | 'contents' | 'name only';
}

/** The hashes of the contents that files of a tree had when they were read. */
export class ReadContents {
  readonly #hashes = new Map<string, string>();

  note(tree: SizeTree, file: NodeId, hash: string): void {
    this.#hashes.set(versionOf(tree, file), hash);
  }

  hashOf(tree: SizeTree, file: NodeId): string | undefined {
    return this.#hashes.size === 0 ? undefined : this.#hashes.get(versionOf(tree, file));
  }
}

/** Another file may have the node, or the path, after the next scan. */
function versionOf(tree: SizeTree, file: NodeId): string {
  return `${tree.size(file)} ${tree.timeMs(file)} ${tree.path(file)}`;
}

/**
 * The files below a directory of the same size and hash, or of the same size where the listing had no hash, or of the
 * same contents where these were read; small ones without a hash must have the same name, too. The 10,000 groups that take most besides the first of each. Files with
 * several names and empty ones are left out.
 */
export function* duplicatesBelow(
  below: Omit<FilesBelow, 'order'>,
  contents: ReadContents,
): Generator<void, readonly DuplicateFiles[]> {
  const { tree } = below;
  const sizes = new Map<number, number>();
  const wanted = (file: NodeId) =>
    tree.size(file) > 0 && !tree.isSpecial(file) && !tree.isLinked(file);
  yield* eachFileBelow(below, (file) => {
    const size = tree.size(file);
    if (wanted(file)) sizes.set(size, (sizes.get(size) ?? 0) + 1);
  });
  const isSame = (a: NodeId, b: NodeId) => {
    const hash = tree.objects.hashKey(a);
    if (tree.size(a) !== tree.size(b) || hash !== tree.objects.hashKey(b)) return false;
    return hash !== 0 || tree.size(a) >= SIZE_IS_ENOUGH || tree.names.compare(a, b) === 0;
  };
  const groups = new Map<number, NodeId[]>();
  yield* eachFileBelow(below, (file) => {
    if ((sizes.get(tree.size(file)) ?? 0) < 2 || !wanted(file)) return;
    for (let key = contentKey(tree, file); ; key++) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [file]);
      else if (!isSame(group[0] as NodeId, file)) continue;
      else group.push(file);
      return;
    }
  });
  const isLess = (a: DuplicateFiles, b: DuplicateFiles) => extraBytes(b) - extraBytes(a);
  let found: DuplicateFiles[] = [];
  let seen = 0;
  for (const nodes of groups.values()) {
    if (++seen % SLICE === 0) yield;
    if (nodes.length < 2) continue;
    for (const group of alike(tree, nodes, contents)) found.push(group);
    if (found.length >= 2 * MOST_GROUPS) found = found.sort(isLess).slice(0, MOST_GROUPS);
  }
  return found.sort(isLess).slice(0, MOST_GROUPS);
}

/** From this size on files of the same size may be the same under any names: 64 KiB. Small ones would be too many. */
const SIZE_IS_ENOUGH = 2 ** 16;

/** Groups that are listed. */
const MOST_GROUPS = 10_000;

/** What the further ones of the same files take. */
export function extraBytes({ nodes, size, by }: DuplicateFiles): number {
  return by === 'name only' ? 0 : size * (nodes.length - 1);
}

/** Files of the same size, and of the same hash or name; those that were read by their contents. */
function alike(
  tree: SizeTree,
  nodes: readonly NodeId[],
  contents: ReadContents,
): readonly DuplicateFiles[] {
  const [first] = nodes as [NodeId];
  const size = tree.size(first);
  if (tree.objects.hashKey(first) !== 0) return [{ nodes, size, by: 'hash' }];
  const byHash = Map.groupBy(nodes, (node) => contents.hashOf(tree, node));
  const isNamed = nodes.every((node) => tree.names.compare(first, node) === 0);
  if (byHash.has(undefined)) return [{ nodes, size, by: isNamed ? 'name' : 'size' }];
  const equal = [...byHash.values()].filter((same) => same.length > 1);
  if (equal.length === 0) return isNamed ? [{ nodes, size, by: 'name only' }] : [];
  return equal.map((same) => ({ nodes: same, size, by: 'contents' }));
}

/** Few files that differ have the same: of their size with the hash, or with the name of a small one. */
function contentKey(tree: SizeTree, file: NodeId): number {
  const { names } = tree;
  let [low, high] = [tree.size(file) | 0, Math.floor(tree.size(file) / 2 ** 32)];
  const hash = tree.objects.hashKey(file);
  if (hash !== 0) {
    low = Math.imul(low ^ hash, 0x9e3779b1);
    high = Math.imul(high ^ Math.floor(hash / 2 ** 32), 0x85ebca6b);
  } else if (tree.size(file) < SIZE_IS_ENOUGH) {
    for (let at = names.start(file); at < names.end(file); at++) {
      low = Math.imul(low ^ (names.bytes[at] as number), 0x01000193);
      high = Math.imul(high + low, 0x85ebca6b);
    }
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
