import { eachFileBelow, type FilesBelow } from './files-below.ts';
import type { NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';

/** Files that are the same, or may be. */
export interface DuplicateFiles {
  readonly nodes: readonly NodeId[];
  /** Bytes of one of them. */
  readonly size: number;
  readonly by: Likeness;
}

/**
 * What files of the same size have in common: the hash that the listing had, else their names; when they were read, their
 * contents, or not even these.
 */
export type Likeness = 'hash' | 'name' | 'contents' | 'name only';

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
 * The files below a directory of the same size and hash, or of the same size and name where the listing had no hash, or of
 * the same contents where these were read; the 10,000 groups that take most besides the first of each. Files with
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
  const groups = new Map<number, NodeId[]>();
  yield* eachFileBelow(below, (file) => {
    if ((sizes.get(tree.size(file)) ?? 0) < 2 || !wanted(file)) return;
    for (let key = contentKey(tree, file); ; key++) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [file]);
      else if (!isSame(tree, group[0] as NodeId, file)) continue;
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
    found.push(...alike(tree, nodes, contents));
    if (found.length >= 2 * MOST_GROUPS) found = found.sort(isLess).slice(0, MOST_GROUPS);
  }
  return found.sort(isLess).slice(0, MOST_GROUPS);
}

/** Groups that are listed. */
const MOST_GROUPS = 10_000;

/** Groups between two pauses. */
const SLICE = 4096;

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
  if (byHash.has(undefined)) return [{ nodes, size, by: 'name' }];
  const equal = [...byHash.values()].filter((same) => same.length > 1);
  if (equal.length === 0) return [{ nodes, size, by: 'name only' }];
  return equal.map((same) => ({ nodes: same, size, by: 'contents' }));
}

function isSame(tree: SizeTree, a: NodeId, b: NodeId): boolean {
  if (tree.size(a) !== tree.size(b) || tree.objects.hashKey(a) !== tree.objects.hashKey(b))
    return false;
  return tree.objects.hashKey(a) !== 0 || tree.names.compare(a, b) === 0;
}

/** Few files that differ have the same: of their size with the hash, or with the name. */
function contentKey(tree: SizeTree, file: NodeId): number {
  const { names } = tree;
  let [low, high] = [tree.size(file) | 0, Math.floor(tree.size(file) / 2 ** 32)];
  const hash = tree.objects.hashKey(file);
  if (hash !== 0) {
    low = Math.imul(low ^ hash, 0x9e3779b1);
    high = Math.imul(high ^ Math.floor(hash / 2 ** 32), 0x85ebca6b);
  } else {
    for (let at = names.start(file); at < names.end(file); at++) {
      low = Math.imul(low ^ (names.bytes[at] as number), 0x01000193);
      high = Math.imul(high + low, 0x85ebca6b);
    }
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
