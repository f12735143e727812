import { harmless } from '../core/shown-text.ts';
import type { ExportHeader } from './export-ncdu.ts';
import { FILE_KINDS } from './file-kinds.ts';
import { type NodeId, ROOT } from './node.ts';
import type { SizeTree } from './size-tree.ts';
import { LARGEST_FIRST, sortedChildren } from './sort-order.ts';

/** Entries that a page holds one by one; the smallest beyond them are summed up per directory. */
const MOST_ENTRIES = 20_000;

/** Of one directory. */
const MOST_CHILDREN = 1_000;

/** A scan as one page of HTML that needs no network: a map of the sizes and a table. */
export function* exportHtml(
  tree: SizeTree,
  { timeMs, title }: Pick<ExportHeader, 'timeMs' | 'title'>,
): Generator<string> {
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
      if (entry === undefined || !tree.isDir(node)) continue;
      // The largest stays last.
      let [low, high] = [0, open.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((open[middle]?.entry.s ?? 0) <= entry.s) low = middle + 1;
        else high = middle;
      }
      open.splice(low, 0, { node, entry });
    }
  }
  return root;
}

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

/** The page of `exportHtml`; `SCAN_DATA` stands for the scan. It loads nothing and writes names as text only. */
const HTML_PAGE = String.raw`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'">
<title>Sizes</title>
<style>
:root { color-scheme: light dark; --ink: #1d2630; --dim: #667380; --paper: #fff; --line: #dde3e8; --hover: #eef3f7; --bar: #2b8a9d; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e9ee; --dim: #93a0ad; --paper: #14191f; --line: #2b343d; --hover: #1f2730; --bar: #4cb3c7; }
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: var(--paper); font: 14px/1.45 system-ui, sans-serif; display: flex; flex-direction: column; height: 100vh; }
header { padding: 10px 16px; border-bottom: 1px solid var(--line); display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; }
nav { flex: 1 1 14em; min-width: 0; overflow-wrap: anywhere; }
nav button { all: unset; cursor: pointer; font-weight: 600; padding: 0 2px; } nav button:hover, nav button:focus-visible { text-decoration: underline; }
nav span, .dim { color: var(--dim); }
main { flex: 1; min-height: 0; display: grid; grid-template-columns: 3fr 2fr; }
#pane { display: flex; flex-direction: column; min-height: 0; padding: 12px; }
#map { position: relative; overflow: hidden; flex: 1; min-height: 0; }
#legend { margin: 8px 0 0; display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 12px; } #legend i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 5px; }
#map div { position: absolute; overflow: hidden; border: 1px solid var(--paper); border-radius: 3px; color: #fff; font-size: 12px; line-height: 16px; padding: 0 4px; white-space: nowrap; text-overflow: ellipsis; }
#map .dir { cursor: pointer; }
#map .dir:hover { filter: brightness(1.12); }
#list { overflow: auto; border-left: 1px solid var(--line); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { position: sticky; top: 0; background: var(--paper); text-align: right; font-weight: 500; color: var(--dim); cursor: pointer; user-select: none; }
th, td { padding: 4px 8px; border-bottom: 1px solid var(--line); white-space: nowrap; text-align: right; }
th:first-child, td:first-child { text-align: left; width: 100%; max-width: 0; overflow: hidden; text-overflow: ellipsis; }
tbody tr.dir { cursor: pointer; }
tbody tr.dir td:first-child { font-weight: 600; }
tbody tr:hover, tbody tr:focus-visible { background: var(--hover); outline: none; }
.bar { height: 3px; margin-top: 2px; background: var(--line); border-radius: 2px; }
.bar i { display: block; height: 3px; background: var(--bar); border-radius: 2px; }
@media (max-width: 800px) { main { grid-template-columns: 1fr; grid-template-rows: 40% 60%; } #list { border-left: 0; border-top: 1px solid var(--line); } .wide { display: none; } }
</style>
</head>
<body>
<header><nav aria-label="Path"></nav><span class="dim" id="sum"></span></header>
<main><div id="pane"><div id="map" aria-hidden="true"></div><p id="legend" class="dim"></p></div>
<div id="list"><table><thead><tr><th scope="col">Name</th><th scope="col">Size</th><th scope="col" class="wide">Files</th><th scope="col" class="wide">Modified</th></tr></thead><tbody></tbody></table></div></main>
<noscript><p>This page needs JavaScript to show the sizes.</p></noscript>
<script type="application/json" id="scan">SCAN_DATA</script>
<script>
'use strict';
const scan = JSON.parse(document.getElementById('scan').textContent);
const map = document.getElementById('map'), body = document.querySelector('tbody');
const orders = [(a, b) => a.n < b.n ? -1 : 1, (a, b) => b.s - a.s, (a, b) => (b.f || 0) - (a.f || 0), (a, b) => (b.t || 0) - (a.t || 0)];
let order = 1, way = [scan.root];
scan.root.n = scan.title;
const make = (tag, text, className) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  if (className) node.className = className;
  return node;
};
const size = (bytes) => {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let at = 0;
  for (; bytes >= 1024 && at < 5; at++) bytes /= 1024;
  return (at === 0 ? bytes : bytes.toFixed(1)) + ' ' + units[at];
};
const date = (seconds) => seconds === undefined ? '' : new Date(seconds * 1000).toISOString().slice(0, 10);
/* Kinds of files: a hue, and the ends of their names. */
const kinds = ${JSON.stringify(FILE_KINDS)};
const kindOf = new Map(Object.entries(kinds).flatMap(([kind, [, ends]]) => ends.split(' ').map((end) => [end, kind])));
const kind = (entry) => kindOf.get((entry.n.split('.').pop() || '').toLowerCase()) || 'other';
const tone = (entry, depth) => isDir(entry) ? 'hsl(215 14% ' + Math.min(56, 30 + depth * 8) + '%)' : colour(kind(entry));
const colour = (name) => 'hsl(' + kinds[name][0] + (name === 'other' ? ' 10% 48%)' : ' 42% 42%)');
const isDir = (entry) => entry.f !== undefined, hint = (entry) => entry.n + '\n' + size(entry.s) + (isDir(entry) ? ', ' + entry.f.toLocaleString('en') + ' files' : '');
const open = (entry) => { way = [...way, entry]; history.pushState(way.length, ''); show(); };
const up = (count) => { way = way.slice(0, Math.max(1, count)); show(); };

function shownOf(dir) {
  const entries = [...(dir.c || [])];
  if (dir.r) entries.push({ n: dir.r[0].toLocaleString('en') + ' smaller entries', s: dir.r[1] });
  return entries.sort((a, b) => b.s - a.s);
}

/* Squarified treemap: Bruls, Huizing, van Wijk (2000). */
function tiles(entries, x, y, w, h, place) {
  let total = entries.reduce((sum, entry) => sum + entry.s, 0), from = 0;
  while (from < entries.length && total > 0 && w > 1 && h > 1) {
    const side = Math.min(w, h), scale = w * h / total;
    let to = from, row = 0, worst = Infinity;
    for (; to < entries.length && entries[to].s > 0; to++) {
      const sum = row + entries[to].s, thick = sum * scale / side;
      const ratio = Math.max(thick * thick / (entries[to].s * scale), entries[from].s * scale / (thick * thick));
      if (ratio > worst) break;
      worst = ratio;
      row = sum;
    }
    if (to === from) return;
    const thick = row * scale / side;
    let at = 0;
    for (const entry of entries.slice(from, to)) {
      const long = entry.s * scale / thick;
      if (w >= h) place(entry, x, y + at, thick, long);
      else place(entry, x + at, y, long, thick);
      at += long;
    }
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    total -= row;
    from = to;
  }
}

function drawMap() {
  map.replaceChildren();
  const dir = way[way.length - 1];
  const draw = (parent, depth) => (entry, x, y, w, h) => {
    if (w < 3 || h < 3) return;
    const tile = make('div', w > 34 && h > 15 ? entry.n : '', isDir(entry) ? 'dir' : '');
    Object.assign(tile.style, { left: x + 'px', top: y + 'px', width: w + 'px', height: h + 'px' });
    tile.style.background = tone(entry, depth);
    tile.title = hint(entry);
    if (isDir(entry) && depth === 0) tile.onclick = () => open(entry);
    parent.append(tile);
    if (isDir(entry) && depth < 2 && w > 40 && h > 40) tiles(shownOf(entry), 3, 18, w - 8, h - 23, draw(tile, depth + 1));
  };
  tiles(shownOf(dir), 0, 0, map.clientWidth, map.clientHeight, draw(map, 0));
}

function show() {
  const dir = way[way.length - 1];
  document.title = scan.title + ' – sizes';
  const nav = document.querySelector('nav');
  nav.replaceChildren();
  way.forEach((entry, at) => {
    if (at > 0) nav.append(make('span', ' / '));
    const part = make('button', entry.n);
    part.onclick = () => up(at + 1);
    nav.append(part);
  });
  document.getElementById('sum').textContent = size(dir.s) + ' in ' + (dir.f || 0).toLocaleString('en') + ' files, scanned ' + date(scan.scanned) + (dir.e ? ', parts unreadable' : '');
  body.replaceChildren(...shownOf(dir).sort(orders[order]).map((entry) => {
    const line = make('tr', undefined, isDir(entry) ? 'dir' : '');
    const name = make('td', entry.n + (isDir(entry) ? '/' : '') + (entry.e ? ' (parts unreadable)' : ''));
    name.title = hint(entry);
    const bar = make('div', undefined, 'bar'), fill = make('i');
    fill.style.width = (dir.s > 0 ? 100 * entry.s / dir.s : 0) + '%';
    bar.append(fill);
    name.append(bar);
    line.append(name, make('td', size(entry.s)), make('td', isDir(entry) ? entry.f.toLocaleString('en') : '', 'wide'), make('td', date(entry.t), 'wide'));
    if (isDir(entry)) {
      line.tabIndex = 0;
      line.onclick = () => open(entry);
      line.onkeydown = (event) => { if (event.key === 'Enter') open(entry); };
    }
    return line;
  }));
  drawMap();
}

  document.querySelectorAll('th').forEach((head, at) => { head.onclick = () => { order = at; show(); }; });
  addEventListener('keydown', (event) => { if (event.key === 'Escape' || event.key === 'Backspace') up(way.length - 1); });
  addEventListener('popstate', () => up(way.length - 1));
  addEventListener('resize', drawMap);
  document.getElementById('legend').append(...Object.keys(kinds).map((name) => {
    const part = make('span'), mark = make('i');
    mark.style.background = colour(name);
    part.append(mark, name);
    return part;
  }));
  show();
</script>
</body>
</html>
`;
