import { compareNames } from '../core/name-order.ts';
import type { Entry } from '../core/remote.ts';
import { leafName } from '../core/remote-path.ts';
import type { TreeNode } from './tree-node.ts';

/** What the entries of a directory are sorted by. */
export type TreeSort = 'name' | 'version' | 'size' | 'mtime' | 'dirsfirst' | 'none';

/**
 * The comparison for one order of `tree`; what is equal in it is sorted by name.
 *
 * @param dirSize the size by which directories without one are sorted
 * @param now the time by which files and directories without one are sorted
 */
export function treeOrder(
  sort: Exclude<TreeSort, 'none'>,
  { reverse, dirSize, now }: { reverse: boolean; dirSize: number; now: bigint },
): (a: Entry, b: Entry) => number {
  const size = (entry: Entry) => entry.size ?? dirSize;
  const time = ({ modTime }: Entry) => modTime ?? now;
  const first = {
    name: compareEntryNames,
    version: (a: Entry, b: Entry) => compareNatural(leafName(a.path), leafName(b.path)),
    size: (a: Entry, b: Entry) => size(a) - size(b),
    mtime: (a: Entry, b: Entry) => (time(a) < time(b) ? -1 : time(a) > time(b) ? 1 : 0),
    dirsfirst: (a: Entry, b: Entry) => Number(a.kind === 'file') - Number(b.kind === 'file'),
  }[sort];
  const sign = reverse ? -1 : 1;
  return (a, b) => sign * first(a, b) || compareEntryNames(a, b);
}

/** The order of names by their bytes. */
function compareEntryNames(a: Entry, b: Entry): number {
  return compareNames(leafName(a.path), leafName(b.path));
}

/** Sorts a whole tree in place. */
export function sortTree(node: TreeNode, compare: (a: Entry, b: Entry) => number): void {
  node.children.sort((a, b) => compare(a.entry, b.entry));
  for (const child of node.children) sortTree(child, compare);
}

/**
 * Names with their numbers by value: `file2` before `file10`. Digits come before other characters; of equal
 * numbers the one with fewer leading zeros comes first. Only ASCII digits count.
 */
export function compareNatural(a: string, b: string): number {
  const left = pieces(a);
  const right = pieces(b);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const difference = comparePieces(left[i] ?? '', right[i] ?? '');
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** A number is one piece, every other character another. */
function pieces(text: string): string[] {
  return text.match(/\d+|./gsu) ?? [];
}

function comparePieces(a: string, b: string): number {
  const aIsNumber = /^\d/.test(a);
  if (aIsNumber !== /^\d/.test(b)) return aIsNumber ? -1 : 1;
  if (!aIsNumber) return compareNames(a, b);
  const [x, y] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return x.length - y.length || compareNames(x, y) || a.length - b.length;
}
