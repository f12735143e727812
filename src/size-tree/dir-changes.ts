import { compareNames } from '../core/name-order.ts';
import { joinPath } from '../core/remote-path.ts';
import { harmless } from '../core/shown-text.ts';
import { type NodeId, ROOT } from './node.ts';
import { NONE } from './node-figures.ts';
import type { SizeTree } from './size-tree.ts';
import { childrenByName, type SizeKind, shownSize, sortByKey } from './sort-order.ts';

/** Two scans of the same path. */
export interface ScanPair {
  readonly before: SizeTree;
  readonly after: SizeTree;
}

/** One entry in two scans; -1 in the one that lacks it. */
export interface EntryPair {
  readonly before: NodeId;
  readonly after: NodeId;
}

/** What became of an entry. */
export interface EntryChange extends EntryPair {
  /** Sizes in bytes; 0 where there is no entry. */
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  /** Files more than before. */
  readonly files: number;
}

/** The figures of an entry in two scans. */
export function changeOf(scans: ScanPair, pair: EntryPair, kind: SizeKind): EntryChange {
  const { before, after } = pair;
  const size = (tree: SizeTree, node: NodeId) => (node === NONE ? 0 : shownSize(tree, node, kind));
  const files = (tree: SizeTree, node: NodeId) => (node === NONE ? 0 : tree.files(node));
  return {
    before,
    after,
    sizeBefore: size(scans.before, before),
    sizeAfter: size(scans.after, after),
    files: files(scans.after, after) - files(scans.before, before),
  };
}

/** Whether an entry is new or gone, or its sums differ. */
export function isChanged({ before, after, sizeBefore, sizeAfter, files }: EntryChange): boolean {
  return before === NONE || after === NONE || sizeBefore !== sizeAfter || files !== 0;
}

/**
 * Pairs the entries of a directory in two scans, in the order of their names: those of the same name that are both
 * directories, or neither.
 */
export function* pairedChildren(
  scans: ScanPair,
  { before, after }: EntryPair,
  dirsOnly = false,
): Generator<EntryPair> {
  const olds = childrenByName(scans.before, before, dirsOnly);
  const news = childrenByName(scans.after, after, dirsOnly);
  let [i, j] = [0, 0];
  while (i < olds.length || j < news.length) {
    const [old = NONE, now = NONE] = [olds[i], news[j]];
    const isInBoth = old !== NONE && now !== NONE;
    const order = isInBoth
      ? scans.before.names.compare(old, now, scans.after.names)
      : old === NONE
        ? 1
        : -1;
    if (order < 0) {
      yield { before: old, after: NONE };
      i++;
    } else if (order > 0) {
      yield { before: NONE, after: now };
      j++;
    } else {
      const [endOld, endNew] = [runEnd(scans.before, olds, i), runEnd(scans.after, news, j)];
      const isOne = endOld === i + 1 && endNew === j + 1;
      if (isOne && scans.before.isDir(old) === scans.after.isDir(now)) {
        yield { before: old, after: now };
      } else {
        for (const isDir of [true, false]) {
          const old = olds.subarray(i, endOld).filter((node) => scans.before.isDir(node) === isDir);
          const now = news.subarray(j, endNew).filter((node) => scans.after.isDir(node) === isDir);
          for (let at = 0; at < Math.max(old.length, now.length); at++)
            yield { before: old[at] ?? NONE, after: now[at] ?? NONE };
        }
      }
      [i, j] = [endOld, endNew];
    }
  }
}

/** The changed entries of a directory; most growth first, and equal ones by name. */
export function changesIn(
  scans: ScanPair,
  dir: EntryPair,
  kind: SizeKind,
  by: 'size' | 'count',
): readonly EntryChange[] {
  const grown: EntryChange[] = [];
  const rest: EntryChange[] = [];
  const keyOf = (change: EntryChange) =>
    by === 'count' ? change.files : change.sizeAfter - change.sizeBefore;
  for (const pair of pairedChildren(scans, dir)) {
    const change = changeOf(scans, pair, kind);
    if (isChanged(change)) (keyOf(change) > 0 ? grown : rest).push(change);
  }
  return [grown, rest].flatMap((changes) => {
    const places = Int32Array.from(changes.keys());
    const keys = Float64Array.from(changes, (change) => Math.abs(keyOf(change)));
    sortByKey(places, keys, changes === grown);
    return Array.from(places, (place) => changes[place] as EntryChange);
  });
}

/** The end of the entries that have the same name: an object store has `a` and `a/`. */
function runEnd(tree: SizeTree, nodes: Int32Array, from: number): number {
  const first = nodes[from] as NodeId;
  let end = from + 1;
  while (end < nodes.length && tree.names.compare(first, nodes[end] as NodeId) === 0) end++;
  return end;
}

/** A directory whose sums have changed; the path is `''` for the top. */
type ChangedDir = EntryChange & { readonly path: string };

/** All directories that are new or gone, or whose sums differ; most growth first, then by path. */
export function changedDirs(scans: ScanPair, kind: SizeKind): readonly ChangedDir[] {
  const found: ChangedDir[] = [];
  const pending = [{ before: ROOT, after: ROOT, path: '' }];
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    const { path } = dir;
    const change = changeOf(scans, dir, kind);
    if (isChanged(change)) found.push({ ...change, path });
    for (const pair of pairedChildren(scans, dir, true)) {
      const { before, after } = pair;
      const name = after === NONE ? scans.before.name(before) : scans.after.name(after);
      pending.push({ ...pair, path: joinPath(path, name) });
    }
  }
  const growth = ({ sizeAfter, sizeBefore }: EntryChange) => sizeAfter - sizeBefore;
  return found.sort((a, b) => growth(b) - growth(a) || compareNames(a.path, b.path));
}

/**
 * Changed directories as lines: difference, size before, size after (in bytes, `-` for none), difference in files, and
 * the path, between tabs.
 */
export function* changeLines(dirs: Iterable<ChangedDir>): Generator<string> {
  for (const { path, before, after, sizeBefore, sizeAfter, files } of dirs) {
    const size = (node: NodeId, bytes: number) => (node === NONE ? '-' : String(bytes));
    const signed = (value: number) => (value > 0 ? `+${value}` : String(value));
    const sizes = [size(before, sizeBefore), size(after, sizeAfter)];
    const fields = [signed(sizeAfter - sizeBefore), ...sizes, signed(files), `${harmless(path)}/`];
    yield `${fields.join('\t')}\n`;
  }
}
