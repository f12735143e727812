import { counted, figure } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import { findNode } from '../../src/size-tree/find-node.ts';
import { isNodeWithin, type NodeId, ROOT } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import type { Browser } from './browser.ts';

/** Leaves entries out of the sums of their directories; counts them again where all of them are left out. */
export function toggleExcluded(browser: Browser, nodes: readonly NodeId[]): void {
  const { tree, marks } = browser;
  const isExcluded = !nodes.every((node) => tree.isExcluded(node));
  for (const node of nodes) tree.setExcluded(node, isExcluded);
  marks.clear();
  afterChange(browser);
}

/** Counts all entries again. */
export function includeAll(browser: Browser): void {
  const { excluded } = browser.tree;
  if (excluded.size === 0) browser.tell('nothing is excluded: X excludes an entry');
  for (const node of [...excluded]) browser.tree.setExcluded(node, false);
  afterChange(browser);
}

function afterChange({ rows }: Browser): void {
  rows.hold();
  rows.refresh(true);
}

/** What is left out of the sums: `2 excluded, 1.2 GiB (X)`. */
export function excludedText({ tree, settings }: Browser): string {
  const nodes = [...tree.excluded];
  const size = nodes.reduce((sum, node) => sum + shownSize(tree, node, settings.order), 0);
  return `${figure(nodes.length)} excluded, ${plainSize(size)} (X)`;
}

/** Whether nothing is changed, because of `--dry-run`. Says what would be. */
export function isDry(browser: Browser, would: string): boolean {
  if (browser.restraint !== 'dry-run') return false;
  browser.tell(`--dry-run: ${would}`, 'good');
  return true;
}

/** Whether excluded entries lie below these: nothing is done to what the shown sums do not have. Says so. */
export function refusesExcluded(browser: Browser, nodes: readonly NodeId[]): boolean {
  const { tree } = browser;
  const held = [...tree.excluded].filter((one) =>
    nodes.some((node) => node !== one && isNodeWithin(tree, node, one)),
  );
  if (held.length === 0) return false;
  const what = `${counted(held.length, 'excluded entry')} below`;
  browser.tell(`${what}: the sizes shown are not all of it; I counts all again`, 'warn');
  return true;
}

/**
 * Whether file systems are mounted at these entries or below: they would be emptied, and their directories stay. Says
 * so, and which.
 */
export function refusesMounts(browser: Browser, nodes: readonly NodeId[], done: string): boolean {
  const { tree, effects } = browser;
  const dirs = nodes.filter((node) => tree.isDir(node)).map((node) => tree.path(node));
  const points = dirs.length === 0 ? [] : (effects.mountPoints?.(dirs) ?? []);
  const [first] = points;
  if (first === undefined) return false;
  let files = 0;
  for (const point of points) {
    const node = findNode(tree, ROOT, point);
    if (node !== undefined) files += tree.files(node);
  }
  const held = counted(files, effects.fileNoun());
  const why =
    points.length === 1
      ? `${harmless(first)} is a mount point with ${held}: unmount it first`
      : `${harmless(first)} and ${counted(points.length - 1, 'other mount point')} with ${held}: unmount them first`;
  browser.tell(`not ${done}: ${why}`, 'warn');
  return true;
}

/** Leaves the same paths out of the sums of another tree, and no others. */
export function excludeSame(from: SizeTree, to: SizeTree): void {
  for (const node of [...to.excluded]) to.setExcluded(node, false);
  for (const node of from.excluded) {
    const same = findNode(to, ROOT, from.path(node));
    if (same !== undefined) to.setExcluded(same, true);
  }
}
