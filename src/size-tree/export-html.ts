import { harmless } from '../core/harmless.ts';
import { HTML_PAGE } from './html-page.ts';
import { type NodeId, ROOT } from './node.ts';
import type { SizeTree } from './size-tree.ts';
import { LARGEST_FIRST, sortedChildren } from './sort-order.ts';

/** What the page says of a scan. */
export interface HtmlHeader {
  readonly timeMs: number;
  /** What was scanned. */
  readonly title: string;
}

/** Entries that a page holds one by one; the smallest beyond them are summed up per directory. */
const MOST_ENTRIES = 20_000;

/** Of one directory. */
const MOST_CHILDREN = 1_000;

/** An entry of the page. */
interface PageEntry {
  readonly n: string;
  /** Bytes. */
  readonly s: number;
  /** Files below; absent for a file. */
  readonly f?: number;
  /** Newest modification, in seconds since the epoch. */
  readonly t?: number;
  /** The entries of a directory that are shown one by one, largest first. */
  c?: PageEntry[];
  /** How many more there are, and their bytes. */
  r?: readonly [count: number, bytes: number];
  /** It could not be listed, or not all below it. */
  readonly e?: true;
}

/** A scan as one page of HTML that needs no network: a map of the sizes and a table. */
export function* exportHtml(tree: SizeTree, { timeMs, title }: HtmlHeader): Generator<string> {
  const [before = '', after = ''] = HTML_PAGE.split('SCAN_DATA');
  yield before;
  const scan = { title, scanned: Math.floor(timeMs / 1000), root: pageTree(tree) };
  // `<` would end the script, and line separators are no JSON in old browsers.
  yield JSON.stringify(scan).replace(/[<\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  yield after;
}

/** The largest entries, found from the top down: of the directories that are open, the largest is opened next. */
function pageTree(tree: SizeTree): PageEntry {
  const root = pageEntry(tree, ROOT);
  const open: { readonly node: NodeId; readonly entry: PageEntry }[] = [
    { node: ROOT, entry: root },
  ];
  let entries = 1;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const children = Array.from(sortedChildren(tree, at.node, LARGEST_FIRST));
    const room = Math.min(MOST_CHILDREN, Math.max(0, MOST_ENTRIES - entries));
    const shown = children.slice(0, room);
    const rest = children.slice(room);
    entries += shown.length;
    at.entry.c = shown.map((node) => pageEntry(tree, node));
    const bytes = rest.reduce((sum, node) => sum + tree.diskUsage(node), 0);
    if (rest.length > 0) at.entry.r = [rest.length, bytes];
    for (const [index, node] of shown.entries()) {
      const entry = at.entry.c[index];
      if (entry !== undefined && tree.isDir(node)) insert(open, { node, entry });
    }
  }
  return root;
}

/** Keeps the largest last. */
function insert<At extends { readonly entry: PageEntry }>(open: At[], one: At): void {
  let [low, high] = [0, open.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((open[middle] as At).entry.s <= one.entry.s) low = middle + 1;
    else high = middle;
  }
  open.splice(low, 0, one);
}

function pageEntry(tree: SizeTree, node: NodeId): PageEntry {
  const time = tree.timeMs(node);
  return {
    n: harmless(tree.name(node)),
    s: tree.diskUsage(node),
    ...(tree.isDir(node) ? { f: tree.files(node) } : {}),
    ...(Number.isNaN(time) ? {} : { t: Math.floor(time / 1000) }),
    ...(tree.isDir(node) && tree.failed(node) > 0 ? { e: true } : {}),
  };
}
