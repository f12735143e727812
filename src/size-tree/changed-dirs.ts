import { compareNames } from '../core/name-order.ts';
import { joinPath } from '../core/remote-path.ts';
import { harmless } from '../core/shown-text.ts';
import {
  changeOf,
  type EntryChange,
  type EntryPair,
  isChanged,
  pairedChildren,
  type ScanPair,
  type SizeKind,
} from './dir-changes.ts';
import { type NodeId, ROOT } from './node.ts';
import { NONE } from './node-figures.ts';

/** A directory whose sums have changed. */
export interface ChangedDir extends EntryChange {
  /** `''` for the top. */
  readonly path: string;
}

/** All directories that are new or gone, or whose sums differ; most growth first, then by path. */
export function changedDirs(scans: ScanPair, kind: SizeKind): readonly ChangedDir[] {
  const found: ChangedDir[] = [];
  const pending: (EntryPair & { readonly path: string })[] = [
    { before: ROOT, after: ROOT, path: '' },
  ];
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
