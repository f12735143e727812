import { counted, harmless } from '../../src/core/shown-text.ts';
import { findNode } from '../../src/size-tree/find-node.ts';
import { isNodeWithin, type NodeId, ROOT } from '../../src/size-tree/node.ts';
import type { Browser } from './browser.ts';

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
  const files = points.reduce((sum, point) => {
    const node = findNode(tree, ROOT, point);
    return sum + (node === undefined ? 0 : tree.files(node));
  }, 0);
  const held = counted(files, effects.fileNoun());
  const why =
    points.length === 1
      ? `${harmless(first)} is a mount point with ${held}: unmount it first`
      : `${harmless(first)} and ${counted(points.length - 1, 'other mount point')} with ${held}: unmount them first`;
  browser.tell(`not ${done}: ${why}`, 'warn');
  return true;
}
