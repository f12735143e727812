import { createHash } from 'node:crypto';
import { modTimeToMs } from '../../core/mod-time.ts';
import type { Entry } from '../../core/remote.ts';
import { leafName } from '../../core/remote-path.ts';
import { formatSizeUnit } from '../../go/byte-size.ts';
import { once } from '../../kit/used-again.ts';
import { encodeUri } from '../../s3-protocol/uri-encoding.ts';
import { escapeHtml } from './escape-html.ts';
import { SCRIPT, STYLE } from './listing-style.ts';
import { hrefOf } from './request-path.ts';
import { type PageOrder, sortedEntries } from './sorted-entries.ts';

/** What a listing page shows. */
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
export const pagePolicy = once(() => {
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
<h1>${breadcrumbs(page)}</h1>
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

function breadcrumbs({ base, dir }: PageContents): string {
  const names = dir === '' ? [] : dir.split('/');
  const links = names.map((name, at) => {
    const href = hrefOf(base, names.slice(0, at + 1).join('/'), true);
    return `<a href="${escapeHtml(href)}">${escapeHtml(name)}</a>/`;
  });
  return `<a href="${escapeHtml(hrefOf(base, '', true))}">/</a>${links.join('')}`;
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
