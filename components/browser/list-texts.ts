import { harmless } from '../../src/core/harmless.ts';
import { wrap } from '../../src/terminal/cells.ts';
import { helpLines } from '../../src/terminal/help-lines.ts';
import { ACTIONS, type KeyHint, row } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import type { BrowserPage, PageRule } from './page.ts';
import { type PageText, textPage } from './text-page.tsx';

/** What the signs before entries mean. */
const SIGNS: readonly KeyHint[] = [
  { keys: '!', does: 'could not be listed (E shows why)' },
  { keys: '.', does: 'part of it could not be read' },
  { keys: '?', does: 'not completely scanned yet' },
  { keys: '~', does: 'contains files of unknown size' },
  { keys: '>', does: 'another file system; with -x what is in it is left out' },
  { keys: 'e', does: 'empty' },
  { keys: 'H', does: 'a file with other names (hard links): each directory counts it once' },
  { keys: '<', does: 'excluded: left out of all sums (X counts it again, I all of them)' },
  { keys: '@', does: 'a link or special file: counted, not copied' },
];

/** What they mean in a scan with `--all`. */
const KEPT_SIGNS: readonly KeyHint[] = [
  { keys: 'v', does: 'an old version' },
  { keys: 'x', does: 'a delete marker' },
  { keys: 'u', does: 'the parts of an unfinished upload' },
];

/** The keys of a page, with `:` and `?`, which opens `help`. */
export function withHelp(
  browser: Browser,
  keys: readonly PageRule[],
  help = keysPage,
): readonly PageRule[] {
  const all: readonly PageRule[] = [
    ...keys,
    { ...ACTIONS, short: '', run: () => undefined },
    row('?', 'help', 'show this page', () => browser.open(help(browser, all))),
  ];
  return all;
}

function keysPage(browser: Browser, keys: readonly KeyHint[]): BrowserPage {
  const text: PageText = (columns, look) => helpLines(keys, columns, look);
  return textPage({ subject: 'keys', text, back: () => browser.back() });
}

/** All keys and signs of the list. */
export function helpPage(browser: Browser, keys: readonly KeyHint[]): BrowserPage {
  const text: PageText = (columns, look) => [
    ...helpLines(keys, columns, look),
    [span(' ')],
    [span('  Markers', 'section')],
    ...helpLines(browser.tree.hasKept ? [...SIGNS, ...KEPT_SIGNS] : SIGNS, columns, look),
    ...costLines(browser, columns),
  ];
  return textPage({ subject: 'keys', text, back: () => browser.back() });
}

/** How to see what storage costs. */
function costLines({ effects }: Browser, columns: number): readonly Line[] {
  const path = effects.pricePath?.();
  if (path === undefined) return [];
  const text = [
    `S shows costs per month if there are prices in ${harmless(path)}, one in a line: STANDARD = the`,
    'price of a GiB for a month. The line currency = EUR names the currency, and lines below [remote]',
    'are only for this remote.',
  ].join(' ');
  const lines = wrap(text, Math.max(10, columns - 4)).map((line): Line => [span(`  ${line}`)]);
  return [[span(' ')], [span('  Costs', 'section')], ...lines];
}

/** The directories that could not be listed, and why. */
export function errorsPage(browser: Browser): BrowserPage {
  const { tree, title } = browser;
  const text: PageText = (columns) => {
    const lines: Line[] = [];
    for (const [node, message] of tree.failures()) {
      const path = tree.path(node);
      lines.push([
        span(`! ${harmless(path === '' ? title : `${path}/`)}`.slice(0, columns * 2), 'bad'),
      ]);
      for (const line of wrap(harmless(message), Math.max(10, columns - 4))) {
        lines.push([span(`    ${line}`)]);
      }
    }
    return lines.length > 0 ? lines : [[span('  No errors.', 'good')]];
  };
  return textPage({ subject: 'errors', text, back: () => browser.back() });
}
