import { harmless } from '../../src/core/shown-text.ts';
import { helpLines } from '../../src/terminal/help-lines.ts';
import { type KeyHint, type KeyRule, row } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import type { Browser } from './browser.ts';
import type { BrowserPage, PageRule } from './page.ts';
import { type PageText, textPage } from './text-page.tsx';

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

/** The row for the keys that go back. @param own the key that has opened the page */
export function backRow(back: () => void, own = ''): PageRule {
  const others = own === '' ? 'q and h' : `q, h and ${own}`;
  return row('Esc', 'back', `go back; also ←, ${others}`, back, { also: `← q h ${own}`.trim() });
}

/** Rows that the footer shows only where they can do something. */
export function shownIf(isShown: boolean, ...rules: readonly PageRule[]): readonly PageRule[] {
  return isShown ? rules : rules.map((rule) => ({ ...rule, short: '' }));
}

/** What the help of the list says besides its keys. */
export function signLines(browser: Browser): NonNullable<KeyRule<unknown>['below']> {
  return (columns, look) => [
    [span(' ')],
    [span('  Markers', 'section')],
    ...helpLines(browser.tree.hasKept ? [...SIGNS, ...KEPT_SIGNS] : SIGNS, columns, look),
    ...costLines(browser, columns),
  ];
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
  const lines = textLines(`  ${text}`, Math.max(12, columns - 2));
  return [[span(' ')], [span('  Costs', 'section')], ...lines];
}

/** The directories that could not be listed, and why. */
export function errorsPage(browser: Browser): BrowserPage {
  const { tree, title } = browser;
  const text: PageText = (columns) => {
    const lines = [...tree.failures()].flatMap(([node, message]): Line[] => {
      const path = tree.path(node);
      const dir = harmless(path === '' ? title : `${path}/`);
      return [[span(`! ${dir}`, 'bad')], ...textLines(`    ${message}`, Math.max(14, columns))];
    });
    return lines.length > 0 ? lines : [[span('  No errors.', 'good')]];
  };
  return textPage(browser, { subject: 'errors', text });
}
