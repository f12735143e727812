import type { KeptKind } from '../../src/core/entry-details.ts';
import { toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { counted, figure, harmless } from '../../src/core/shown-text.ts';
import type { Detail } from '../../src/size-tree/browser-effects.ts';
import { keptPath } from '../../src/size-tree/find-node.ts';
import { type NodeId, nodesBelow } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { cellWidth, pieces } from '../../src/terminal/cells.ts';
import { costText, plainSize, timeText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { labelled } from '../../src/terminal/text-lines.ts';
import type { Browser } from './browser.ts';
import { totalsOf } from './dir-rows.ts';
import type { BrowserPage, PageRule } from './page.ts';
import { type PageText, textPage } from './text-page.tsx';

/** What is fetched for a page while it is already shown. */
export class Fetched<T> {
  value: T | undefined;
  error: string | undefined;
  readonly #ending = new AbortController();

  constructor(browser: Browser, fetch: (op: Op) => Promise<T>) {
    const { signal } = this.#ending;
    const take = (value?: T, error?: string) => {
      this.value = value;
      this.error = error;
      if (!signal.aborted) browser.changed();
    };
    fetch({ signal }).then(take, (thrown) => take(undefined, toSyncerError(thrown).message));
  }

  stop(): void {
    this.#ending.abort(new Error('the page was left'));
  }
}

/** All that is known of an entry; what only the store knows comes in when it answers. */
export function infoPage(browser: Browser, node: NodeId): BrowserPage {
  const { tree, effects, restraint } = browser;
  const path = tree.path(node);
  const scanned = scannedDetails(browser, node);
  const isLive = restraint !== 'imported' && tree.isCurrent(node);
  const fetch = (withHashes: boolean) =>
    new Fetched(browser, (op) => effects.details(path, withHashes, op));
  let fetched = isLive ? fetch(false) : undefined;
  const text: PageText = (columns) => {
    const { value = [], error } = fetched ?? {};
    const isWaiting = fetched !== undefined && fetched.value === undefined && error === undefined;
    return [
      ...detailLines([...scanned, ...value], columns),
      ...(isWaiting ? [[span('loading details', 'dim')]] : []),
      ...(error === undefined ? [] : [[span(harmless(error), 'bad')]]),
    ];
  };
  const hashes = row('H', 'compute hashes', '', () => {
    fetched?.stop();
    fetched = fetch(true);
  });
  return textPage(browser, {
    subject: 'info',
    text,
    keys: () => (tree.isDir(node) || !isLive ? [] : [hashes]),
    onLeave: () => fetched?.stop(),
  });
}

/** The details of an entry that the scan has. */
export function scannedDetails(browser: Browser, node: NodeId): readonly Detail[] {
  const { tree, title, settings } = browser;
  const time = tree.timeMs(node);
  const error = tree.errorOf(node);
  const details: Detail[] = [
    ['name', tree.name(node)],
    ['path', joinTitle(title, keptPath(tree, node))],
  ];
  const { links = 1 } = tree.ownUsage(node) ?? {};
  if (tree.isSizeUnknown(node)) details.push(['size', 'not known']);
  else if (!tree.hasDisk) details.push(['size', bytesText(tree.size(node))]);
  else {
    details.push(['disk usage', bytesText(tree.diskUsage(node))]);
    details.push(['apparent size', bytesText(tree.apparentSize(node))]);
    if (links !== 1) details.push(['hard links', links === 0 ? 'several' : figure(links)]);
  }
  // Which version or upload it is, or what of its size is not current.
  const kept = tree.hasKept ? tree.keptAs(node) : undefined;
  if (kept !== undefined) details.push(['kind', KEPT[kept.kind].kind], ['id', kept.id]);
  else if (tree.hasKept) {
    const { old, uploads } = tree.keptSums(node);
    details.push(['current', bytesText(tree.size(node) - old - uploads)]);
    details.push(['old versions', bytesText(old)], ['uploads', bytesText(uploads)]);
  }
  const { costs } = settings;
  if (costs !== undefined)
    details.push(['a month', `${costText(costs.of(node))} ${costs.currency}`.trim()]);
  if (!Number.isNaN(time)) details.push([tree.isDir(node) ? 'newest' : 'modified', timeText(time)]);
  if (tree.isDir(node)) {
    details.push(['files', figure(tree.files(node))]);
    details.push(['entries', figure(tree.childCount(node))]);
    details.push(['average file', plainSize(tree.average(node))]);
    if (tree.unknown(node) > 0) details.push(['unknown size', counted(tree.unknown(node), 'file')]);
    if (tree.failed(node) > 0)
      details.push(['not listed', counted(tree.failed(node), 'directory')]);
  }
  if (error !== undefined) details.push(['error', error]);
  return details;
}

/** What versions, markers and uploads are: their sign in the list, their noun, and their kind in full. */
export const KEPT: Readonly<Record<KeptKind, Record<'sign' | 'noun' | 'kind', string>>> = {
  current: { sign: '', noun: 'current object', kind: 'current version' },
  old: { sign: 'v', noun: 'old version', kind: 'old version' },
  marker: { sign: 'x', noun: 'delete marker', kind: 'delete marker: the object is deleted' },
  'old-marker': { sign: 'x', noun: 'delete marker', kind: 'old delete marker' },
  upload: { sign: 'u', noun: 'unfinished upload', kind: 'unfinished upload' },
};

function bytesText(bytes: number): string {
  return bytes < 1000 ? counted(bytes, 'byte') : `${plainSize(bytes)} (${counted(bytes, 'byte')})`;
}

/** The path of an entry as it would be typed. */
export function joinTitle(title: string, path: string): string {
  if (path === '') return title;
  return title.endsWith(':') || title.endsWith('/') ? `${title}${path}` : `${title}/${path}`;
}

/** Details in two columns, long values wrapped. */
export function detailLines(details: readonly Detail[], columns: number): readonly Line[] {
  const width = 2 + Math.max(12, ...details.map(([name]) => cellWidth(name)));
  return details.flatMap(([name, value]) => labelled(name, value, width, columns));
}

/** The beginning of a file, as text where it is one. */
export function viewPage(browser: Browser, node: NodeId): BrowserPage {
  const { tree, effects, restraint } = browser;
  const path = tree.path(node);
  let hex: boolean | undefined;
  const isCurrent = tree.isCurrent(node);
  const why = isCurrent ? 'a scan from a file has no contents' : 'only current objects are shown';
  const isLive = restraint !== 'imported' && isCurrent;
  const fetched = isLive ? new Fetched(browser, (op) => effects.head(path, op)) : undefined;
  const text: PageText = (columns) => {
    const { value, error } = fetched ?? { error: why };
    if (error !== undefined) return [[span(`  ${harmless(error)}`, 'bad')]];
    if (value === undefined) return [[span('  reading', 'dim')]];
    const lines = previewLines(value, columns, hex);
    const rest = tree.size(node) - value.length;
    return rest > 0 ? [...lines, [span(`(${plainSize(rest)} more)`, 'dim')]] : lines;
  };
  return textPage(browser, {
    subject: joinTitle(browser.title, harmless(path)),
    text,
    keys: () => [
      row('x', 'text or hex', '', () => {
        if (fetched?.value !== undefined) hex = !(hex ?? !isText(fetched.value));
      }),
    ],
    onLeave: () => fetched?.stop(),
  });
}

/** Whether the beginning of a file looks like text: UTF-8, and next to no control characters. */
function isText(head: Buffer): boolean {
  if (head.includes(0)) return false;
  const text = head.toString('utf8');
  // A character may be cut off at the end.
  const broken = text.slice(0, -1).split('\ufffd').length - 1;
  const controls = text.replace(/[^\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]/g, '').length;
  return (broken + controls) * 20 <= text.length;
}

/** The beginning of a file in lines: text as it is, or bytes by sixteen, fewer on narrow terminals. */
export function previewLines(head: Buffer, columns: number, hex = !isText(head)): readonly Line[] {
  if (head.length === 0) return [[span('  The file is empty.', 'dim')]];
  if (hex) {
    const width = columns >= 78 ? 16 : columns >= 44 ? 8 : 4;
    return Array.from({ length: Math.ceil(head.length / width) }, (_, line) => {
      const at = line * width;
      const bytes = head.subarray(at, at + width);
      const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
      return [
        span(`${at.toString(16).padStart(8, '0')}  `, 'dim'),
        span(digits.padEnd(width * 3)),
        span(` ${bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.')}`, 'accent'),
      ];
    });
  }
  const text = head.toString('utf8').replace(/\r\n?/g, '\n').replaceAll('\t', '    ');
  const lines = text.replace(/\n$/, '').split('\n');
  return lines.flatMap((line) => pieces(harmless(line), columns).map((text): Line => [span(text)]));
}

/** Whether it is an old version or an upload: nothing else depends on it. */
export function isOld(kind: KeptKind | undefined): boolean {
  return kind === 'old' || kind === 'old-marker' || kind === 'upload';
}

/** Asks what of the entries is to be deleted: old versions, uploads, or everything; `chosen` asks again with names. */
export function chooseKept(
  browser: Browser,
  nodes: readonly NodeId[],
  chosen: (nodes: readonly NodeId[]) => void,
): void {
  const { tree, settings } = browser;
  const all = withVersions(tree, nodes);
  const ofKind = (...kinds: readonly KeptKind[]) =>
    all
      .flatMap((node) => [...nodesBelow(tree, node)])
      .filter((node) => kinds.includes(tree.keptKind(node) as KeptKind));
  const choices = [
    { key: 'o', name: 'only old versions', nodes: ofKind('old', 'old-marker') },
    { key: 'u', name: 'only unfinished uploads', nodes: ofKind('upload') },
    { key: 'e', name: 'everything, also current', nodes: all },
  ].filter((choice) => choice.nodes.length > 0);
  const lines = choices.map(({ key, name, nodes }): Line => {
    const { files, shown } = totalsOf(tree, nodes, settings.order);
    return [
      span(`  ${key}`, 'key', true),
      span(`  ${plainSize(shown).padStart(10)}  `),
      span(name, key === 'e' ? 'bad' : 'plain'),
      span(`  ${counted(files, 'entry')}`, 'dim'),
    ];
  });
  const keys: readonly PageRule[] = choices.map(({ key, name, nodes }) =>
    row(key, name.replace(/,.*/, ''), '', () => {
      browser.back();
      chosen(nodes);
    }),
  );
  const parts = { subject: 'Delete what', text: () => lines, keys: () => keys, isDialog: true };
  browser.open(textPage(browser, parts));
}

/** The entries, and with each newest version all other versions and uploads of its object. */
function withVersions(tree: SizeTree, nodes: readonly NodeId[]): readonly NodeId[] {
  const paths = new Map<NodeId, Set<string>>();
  for (const node of nodes) {
    const kind = tree.keptKind(node);
    if (kind !== 'current' && kind !== 'marker') continue;
    const dir = tree.parent(node);
    const known = paths.get(dir) ?? new Set();
    paths.set(dir, known.add(keptPath(tree, node)));
  }
  const more = [...paths].flatMap(([dir, wanted]) =>
    [...tree.children(dir)].filter((node) => !tree.isDir(node) && wanted.has(keptPath(tree, node))),
  );
  return [...new Set([...nodes, ...more])];
}
