import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { encodeUri } from '../../backends/s3-protocol/uri-encoding.ts';
import { modTimeToMs } from '../../core/mod-time.ts';
import { compareNames } from '../../core/name-order.ts';
import { once } from '../../core/once.ts';
import type { Entry } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { escapeMarkup } from '../../core/shown-text.ts';
import { formatSizeUnit } from '../../go/quantities.ts';
import { HttpError } from '../http-error.ts';
import { type FileCall, header, hrefOf, respond } from './call.ts';
import type { Protocol } from './file-server.ts';
import { sendFile, sendZip } from './send-file.ts';

/** Smaller bodies are not compressed, in bytes. */
const WORTH_COMPRESSING = 1024;

/** `serve http`: files and pages of directories, to be read. */
export const HTTP_PROTOCOL: Protocol = {
  handlers: { GET: sendEntry, HEAD: sendEntry },
  reading: ['GET', 'HEAD'],
};

/** Responds to GET and HEAD: a file, a page for a directory, or the directory as a zip file. */
async function sendEntry(call: FileCall): Promise<void> {
  const { tree, path, isDir, query, options, op } = call;
  const entry = await tree.find(path, op);
  if (entry === undefined) throw new HttpError(404, 'Not Found');
  if (entry.kind === 'file') {
    if (isDir) throw new HttpError(404, 'Not Found: not a directory');
    return sendFile(call, entry);
  }
  const isZip = query.get('download') === 'zip';
  // A zip file names everything below: without pages there is none.
  if (!options.allowsListing || (isZip && !options.allowsZip))
    throw new HttpError(404, 'Not Found');
  if (isZip) return sendZip({ ...call, path: entry.path });
  if (!isDir) {
    const search = query.size === 0 ? '' : `?${query}`;
    return respond(call, 301, { location: hrefOf(options.base, entry.path, true) + search });
  }
  const { entries, failed } = await tree.list(entry.path, op);
  const page = listingPage({
    base: options.base,
    dir: entry.path,
    entries,
    failed: failed.length,
    order: readOrder(query),
    allowsZip: options.allowsZip,
    showsTimes: !tree.options.noModTime,
  });
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': pagePolicy(),
    'cache-control': 'no-cache',
    vary: 'accept-encoding',
  };
  if (page.length < WORTH_COMPRESSING || !takesGzip(call)) return respond(call, 200, headers, page);
  const { gzip } = await import('node:zlib');
  const bytes = await promisify(gzip)(page);
  respond(call, 200, { ...headers, 'content-encoding': 'gzip' }, bytes);
}

/** Whether the client takes responses compressed by gzip. */
export function takesGzip(call: FileCall): boolean {
  const form = /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i;
  return form.test(header(call, 'accept-encoding') ?? '');
}

export interface PageContents {
  /** `--baseurl`. */
  readonly base: string;
  /** The path of the directory. */
  readonly dir: string;
  readonly entries: readonly Entry[];
  /** How many entries could not be read. */
  readonly failed: number;
  readonly order: PageOrder;
  readonly allowsZip: boolean;
  readonly showsTimes: boolean;
}

/** The header that allows the page its own style and script, and nothing else. */
const pagePolicy = once(() => {
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const [style, script] = [hash(STYLE), hash(SCRIPT)];
  return `default-src 'none'; style-src ${style}; script-src ${script}; base-uri 'none'; form-action 'none'`;
});

/** A directory as a page of HTML. Its links to entries are relative, as programs that read such pages expect. */
export function listingPage(page: PageContents): string {
  const { dir, entries, order, failed } = page;
  const files = entries.filter(({ kind }) => kind === 'file').length;
  const counts = `${plural(entries.length - files, 'directory', 'directories')}, ${plural(files, 'file', 'files')}`;
  const missing = failed === 0 ? '' : `; ${plural(failed, 'entry', 'entries')} could not be read`;
  const names = dir === '' ? [] : dir.split('/');
  const crumbs = names.map((name, at) => {
    const href = hrefOf(page.base, names.slice(0, at + 1).join('/'), true);
    return `<a href="${escapeHtml(href)}">${escapeHtml(name)}</a>/`;
  });
  const up =
    dir === ''
      ? ''
      : '<tr><td class="name"><a href="../">Parent directory</a></td><td></td><td></td></tr>\n';
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>/${escapeHtml(dir)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1><a href="${escapeHtml(hrefOf(page.base, '', true))}">/</a>${crumbs.join('')}</h1>
<div class="tools">
<input type="search" id="filter" placeholder="Filter" aria-label="Filter by name" hidden>
<span class="note">${counts}${missing}</span>
${page.allowsZip ? '<a href="?download=zip">Download as zip</a>' : ''}
</div>
<table>
<thead><tr>${heading('Name', 'name', order)}${heading('Size', 'size', order)}${heading('Modified', 'time', order)}</tr></thead>
<tbody>
${up}${sortedEntries(entries, order)
  .map((entry) => row(entry, page))
  .join('\n')}
</tbody>
</table>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

/** A heading that sorts by its column; once more, in the other direction. The name has two orders. */
function heading(label: string, column: 'name' | 'size' | 'time', order: PageOrder): string {
  const sort = column === 'name' ? 'namedirfirst' : column;
  const isCurrent = order.sort === sort || (column === 'name' && order.sort === 'name');
  const next = isCurrent && order.order === 'asc' ? 'desc' : 'asc';
  const direction = order.order === 'asc' ? 'ascending' : 'descending';
  const arrow = order.order === 'asc' ? '↑' : '↓';
  const state = isCurrent ? ` aria-sort="${direction}"` : '';
  const href = `?sort=${isCurrent ? order.sort : sort}&amp;order=${next}`;
  return `<th class="${column}"${state}><a href="${href}">${label}${isCurrent ? ` ${arrow}` : ''}</a></th>`;
}

function row(entry: Entry, { showsTimes }: PageContents): string {
  const isDir = entry.kind === 'dir';
  const name = leafName(entry.path);
  const shown = escapeHtml(name);
  const slash = isDir ? '/' : '';
  const size = isDir || entry.size < 0 ? '—' : formatSizeUnit(entry.size);
  // A name with a colon would be read as a scheme.
  const href = `./${encodeUri(name)}${slash}`;
  return `<tr data-name="${shown}"><td class="name"><a href="${href}">${shown}${slash}</a></td><td class="size">${size}</td><td class="time">${showsTimes ? timeOf(entry) : ''}</td></tr>`;
}

function timeOf({ modTime }: Entry): string {
  if (modTime === undefined) return '—';
  const date = new Date(modTimeToMs(modTime));
  if (Number.isNaN(date.getTime())) return '—';
  const text = date.toISOString();
  return `<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`;
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Text for HTML and its attributes. What cannot be shown becomes U+FFFD: control characters, half characters. */
function escapeHtml(text: string): string {
  return escapeMarkup(
    text
      .toWellFormed()
      .replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '\ufffd'),
  );
}

/** The style of listing pages: dark if the browser prefers it, without times and sizes that a phone has no room for. */
const STYLE = `
:root { color-scheme: light dark; --fg: #1c2024; --dim: #60646c; --line: #dcdfe4; --bg: #fff; --hover: #f2f5f9; --link: #0a58ca }
@media (prefers-color-scheme: dark) {
  :root { --fg: #e6e8eb; --dim: #9ba1a6; --line: #33383d; --bg: #16181a; --hover: #212529; --link: #79b8ff }
}
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 70rem; padding: 1rem; background: var(--bg); color: var(--fg); font: 16px/1.5 system-ui, sans-serif }
a { color: var(--link); text-decoration: none }
a:hover, a:focus { text-decoration: underline }
h1 { margin: 0 0 .75rem; font-size: 1.25rem; font-weight: 600; overflow-wrap: anywhere }
.tools { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; margin-bottom: .75rem }
input { flex: 1; min-width: 8rem; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--bg); color: var(--fg); font: inherit }
table { width: 100%; border-collapse: collapse }
th, td { padding: .4rem .6rem; border-bottom: 1px solid var(--line); text-align: left }
th { font-size: .9rem }
tbody tr:hover { background: var(--hover) }
.name { width: 100%; overflow-wrap: anywhere }
.size, .time { white-space: nowrap; text-align: right; color: var(--dim); font-variant-numeric: tabular-nums }
.note { color: var(--dim) }
@media (max-width: 40rem) { .time { display: none } body { padding: .6rem } th, td { padding: .5rem .3rem } }
`;

/** The script of listing pages: local times, and the filter. Without it, times are in UTC. */
const SCRIPT = `
  for (const time of document.querySelectorAll('time')) {
    const date = new Date(time.dateTime);
    if (!isNaN(date)) time.textContent = date.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  }
  const filter = document.getElementById('filter');
  const rows = [...document.querySelectorAll('tbody tr[data-name]')];
  filter.hidden = false;
  filter.oninput = () => {
    const wanted = filter.value.trim().toLowerCase();
    for (const row of rows) row.hidden = !row.dataset.name.toLowerCase().includes(wanted);
  };
  filter.oninput();
`;

/** The orders of a listing page, by `?sort=` as in rclone. */
export const SORTS = ['namedirfirst', 'name', 'size', 'time'] as const;

/** How a listing page is sorted. */
export interface PageOrder {
  readonly sort: (typeof SORTS)[number];
  readonly order: 'asc' | 'desc';
}

/** Reads `?sort=` and `?order=`; anything unknown is the default. */
export function readOrder(query: URLSearchParams): PageOrder {
  const sort = SORTS.find((one) => one === query.get('sort')) ?? 'namedirfirst';
  return { sort, order: query.get('order') === 'desc' ? 'desc' : 'asc' };
}

/** The entries in an order of the page. */
export function sortedEntries(entries: readonly Entry[], { sort, order }: PageOrder): Entry[] {
  const sign = order === 'desc' ? -1 : 1;
  const folded = ({ path }: Entry) => leafName(path).toLowerCase();
  const sizeOf = (entry: Entry) => (entry.kind === 'file' ? entry.size : -1);
  const byName = (a: Entry, b: Entry) => compareNames(folded(a), folded(b));
  const compare = (a: Entry, b: Entry): number => {
    const dirs = Number(b.kind === 'dir') - Number(a.kind === 'dir');
    if (sort === 'namedirfirst') return dirs || sign * byName(a, b);
    if (sort === 'size') return sign * (sizeOf(a) - sizeOf(b)) || byName(a, b);
    if (sort === 'time')
      return sign * Number((a.modTime ?? 0n) - (b.modTime ?? 0n)) || byName(a, b);
    return sign * byName(a, b);
  };
  return [...entries].sort(compare);
}
