import { findNode } from '../size-tree/find-node.ts';
import { isNodeWithin, type NodeId } from '../size-tree/node.ts';
import type { Browser } from './browser.ts';
import { isOld } from './choose-kept.ts';

/** What was listed again takes the place of what was known; marks and cursor go over by their paths. */
export function takeOver(
  { tree, marks, rows }: Pick<Browser, 'tree' | 'marks' | 'rows'>,
  dir: NodeId,
  into: NodeId,
): void {
  if (!tree.isThere(dir)) return;
  const pathFrom = (node: NodeId) => tree.path(node).slice(base === '' ? 0 : base.length + 1);
  const base = tree.path(dir);
  const isInside = (node: NodeId) => node !== dir && isNodeWithin(tree, dir, node);
  const inside = (nodes: Iterable<NodeId>) =>
    [...nodes].filter((node) => isInside(node) && !isOld(tree.keptKind(node))).map(pathFrom);
  const marked = inside(marks.list());
  const excluded = inside(tree.excluded);
  const shown = isInside(rows.dir) ? pathFrom(rows.dir) : undefined;
  const { current, filter } = rows;
  const under = shown === undefined || current === undefined ? undefined : pathFrom(current);
  const at = shown === undefined && rows.dir === dir ? current : undefined;
  if (at !== undefined || shown !== undefined) rows.keepByName();
  tree.replaceContents(dir, into);
  marks.prune();
  for (const path of marked) {
    const node = findNode(tree, dir, path);
    if (node !== undefined) marks.set(node, true);
  }
  for (const path of excluded) {
    const node = findNode(tree, dir, path);
    if (node !== undefined) tree.setExcluded(node, true);
  }
  if (shown === undefined) return;
  const entry = under === undefined ? undefined : findNode(tree, dir, under);
  rows.open(findNode(tree, dir, shown) ?? dir, entry);
  rows.setFilter(filter);
}
