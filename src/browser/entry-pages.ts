import { toSyncerError } from '../core/errors.ts';
import { harmless } from '../core/harmless.ts';
import { cellWidth, wrap } from '../screen/cells.ts';
import { typed } from '../screen/key.ts';
import { type Line, span } from '../screen/span.ts';
import type { NodeId } from '../size-tree/node.ts';
import type { Browser } from './browser.ts';
import type { Detail } from './browser-effects.ts';
import { counted, countText, plainSize, timeText } from './figures.ts';
import type { BrowserPage } from './frame.ts';
import { headLines, isText } from './head-lines.ts';
import { type PageText, textPage } from './text-page.ts';

/** What is fetched for a page while it is already shown. */
interface Fetched<T> {
  value: T | undefined;
  error: string | undefined;
}

/** All that is known of an entry; what only the store knows comes in when it answers. */
export function infoPage(browser: Browser, node: NodeId): BrowserPage {
  const { tree, effects, restraint } = browser;
  const ending = new AbortController();
  const path = tree.path(node);
  const scanned = scannedDetails(browser, node);
  const isLive = restraint !== 'imported';
  let fetched: Fetched<readonly Detail[]> = { value: isLive ? undefined : [], error: undefined };
  const fetch = (withHashes: boolean) => {
    fetched = fetchFor(browser, effects.details(path, withHashes, { signal: ending.signal }));
  };
  if (isLive) fetch(false);
  const text: PageText = (columns) => [
    ...detailLines(scanned, columns),
    ...(fetched.value === undefined && fetched.error === undefined ? [waiting] : []),
    ...detailLines(fetched.value ?? [], columns),
    ...(fetched.error === undefined ? [] : [[span(`  ${harmless(fetched.error)}`, 'bad')]]),
  ];
  return textPage({
    subject: 'info',
    text,
    press(key) {
      if (typed(key) !== 'H' || tree.isDir(node) || !isLive) return false;
      fetch(true);
      return true;
    },
    hints: tree.isDir(node) || !isLive ? [] : [{ keys: 'H', does: 'compute hashes' }],
    back() {
      ending.abort(new Error('the page was left'));
      browser.back();
    },
  });
}

const waiting: Line = [span('  asking the store', 'dim')];

function scannedDetails({ tree, title }: Browser, node: NodeId): readonly Detail[] {
  const size = `${plainSize(tree.size(node))} (${countText(tree.size(node))} bytes)`;
  const time = tree.timeMs(node);
  const error = tree.errorOf(node);
  const details: Detail[] = [
    ['name', tree.name(node)],
    ['path', joinTitle(title, tree.path(node))],
    ['size', tree.isSizeUnknown(node) ? 'not known' : size],
  ];
  if (!Number.isNaN(time)) details.push([tree.isDir(node) ? 'newest' : 'modified', timeText(time)]);
  if (tree.isDir(node)) {
    details.push(['files', countText(tree.files(node))]);
    details.push(['entries', countText(tree.childCount(node))]);
    details.push(['average', plainSize(tree.average(node))]);
    if (tree.unknown(node) > 0) details.push(['unknown size', counted(tree.unknown(node), 'file')]);
    if (tree.failed(node) > 0)
      details.push(['not listed', counted(tree.failed(node), 'directory')]);
  }
  if (error !== undefined) details.push(['error', error]);
  return details;
}

/** The path of an entry as it would be typed. */
export function joinTitle(title: string, path: string): string {
  if (path === '') return title;
  return title.endsWith(':') || title.endsWith('/') ? `${title}${path}` : `${title}/${path}`;
}

function detailLines(details: readonly Detail[], columns: number): readonly Line[] {
  const width = Math.max(12, ...details.map(([name]) => cellWidth(name)));
  return details.flatMap(([name, value]) => {
    const [first = '', ...rest] = wrap(harmless(value), Math.max(10, columns - width - 4));
    const lead = ' '.repeat(Math.max(0, width - cellWidth(name)));
    const head: Line = [span(`  ${lead}${harmless(name)}  `, 'accent'), span(first)];
    return [head, ...rest.map((line): Line => [span(' '.repeat(width + 4) + line)])];
  });
}

/** The beginning of a file, as text where it is one. */
export function viewPage(browser: Browser, node: NodeId): BrowserPage {
  const { tree, effects, restraint } = browser;
  const ending = new AbortController();
  const path = tree.path(node);
  let hex: boolean | undefined;
  const fetched: Fetched<Buffer> =
    restraint === 'imported'
      ? { value: undefined, error: 'a scan from a file has no contents' }
      : fetchFor(browser, effects.head(path, { signal: ending.signal }));
  const text: PageText = (columns) => {
    if (fetched.error !== undefined) return [[span(`  ${harmless(fetched.error)}`, 'bad')]];
    if (fetched.value === undefined) return [[span('  reading', 'dim')]];
    const { value } = fetched;
    const lines = headLines(value, hex ?? !isText(value), columns);
    const rest = tree.size(node) - value.length;
    return rest > 0 ? [...lines, [span(`(and ${plainSize(rest)} more)`, 'dim')]] : lines;
  };
  return textPage({
    subject: joinTitle(browser.title, harmless(path)),
    text,
    press(key) {
      if (typed(key) !== 'x' || fetched.value === undefined) return false;
      hex = !(hex ?? !isText(fetched.value));
      return true;
    },
    hints: [{ keys: 'x', does: 'text or hex' }],
    back() {
      ending.abort(new Error('the page was left'));
      browser.back();
    },
  });
}

function fetchFor<T>(browser: Browser, promise: Promise<T>): Fetched<T> {
  const fetched: Fetched<T> = { value: undefined, error: undefined };
  promise.then(
    (value) => {
      fetched.value = value;
      browser.changed();
    },
    (thrown) => {
      fetched.error = toSyncerError(thrown).message;
      browser.changed();
    },
  );
  return fetched;
}
