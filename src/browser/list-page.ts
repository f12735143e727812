import { harmless } from '../core/harmless.ts';
import { figure } from '../kit/counted.ts';
import type { KeyHint } from '../screen/key-table.ts';
import type { Look } from '../screen/look.ts';
import type { FrameLine } from '../screen/screen-frame.ts';
import { contentRows } from '../screen/screen-layout.ts';
import type { Size } from '../screen/screen-model.ts';
import { type Line, span } from '../screen/span.ts';
import { shownSize } from '../size-tree/sort-order.ts';
import type { Browser } from './browser.ts';
import { orderText } from './browser-settings.ts';
import { hasColumns } from './entry-figures.ts';
import { entryLine, headingLine } from './entry-line.ts';
import { joinTitle } from './entry-pages.ts';
import { EntryPane } from './entry-pane.ts';
import { type BrowserPage, fittedPath, type PageFrame, type PageRule } from './frame.ts';
import { type EntryList, filterKeys, listFooter, listKeys } from './list-keys.ts';
import { RangeMark } from './range-mark.ts';
import { statusLine } from './status-line.ts';

/** The entries of one directory: the page that the browser begins with and comes back to. */
export class BrowserList implements BrowserPage {
  readonly #list: EntryList;
  readonly #pane: EntryPane;

  constructor(browser: Browser) {
    const range = new RangeMark(browser.rows, browser.marks);
    this.#list = { browser, range, typing: undefined, rowsShown: 1 };
    this.#pane = new EntryPane(browser);
  }

  takesText(): boolean {
    return this.#list.typing !== undefined;
  }

  keys(): readonly PageRule[] {
    return this.#list.typing === undefined ? listKeys(this.#list) : filterKeys(this.#list);
  }

  footer(): readonly KeyHint[] {
    return this.#list.typing === undefined ? listFooter(this.keys()) : filterKeys(this.#list);
  }

  take(run: () => void): void {
    const { browser, range } = this.#list;
    browser.rows.hold();
    browser.rows.refresh();
    run();
    if (this.#list.typing === undefined) range.follow();
  }

  pane(size: Size, look: Look): readonly Line[] {
    const { rows } = this.#list.browser;
    return this.#pane.lines(rows.rows[rows.cursor], size, look);
  }

  frame(size: Size, look: Look): PageFrame {
    const { browser, range, typing } = this.#list;
    const { rows, tree, settings, marks, title } = browser;
    const most = contentRows(size, typing === undefined ? 1 : 2);
    const hasHeading = most > 2 && hasColumns(settings);
    const rowsShown = most - (hasHeading ? 1 : 0);
    this.#list.rowsShown = rowsShown;
    rows.refresh();
    rows.resize(rowsShown);
    const shown = rows.rows.subarray(rows.first, rows.first + rowsShown);
    const lines = Array.from(shown, (node, at): FrameLine => {
      const selected = rows.first + at === rows.cursor;
      const marked = marks.has(node) || range.has(node);
      const whole = shownSize(tree, rows.dir, settings.order);
      const { largest } = rows;
      const how = { settings, columns: size.columns, glyphs: look.glyphs, marked, selected };
      return {
        selected,
        at: rows.first + at,
        line: entryLine(tree, node, { ...how, largest, whole }),
      };
    });
    const heading = headingLine({ settings, columns: size.columns, hasDisk: tree.hasDisk });
    const aside = this.#aside(size.columns);
    return {
      subject: fittedPath(joinTitle(title, tree.path(rows.dir)), aside, size.columns, look),
      aside,
      lines: [
        ...(hasHeading ? [{ line: heading }] : []),
        ...(lines.length > 0 ? lines : [this.#emptyLine()]),
      ],
      ...(typing === undefined ? { opens: true } : { field: typing }),
      status: statusLine(browser, size.columns, look),
    };
  }

  #aside(columns: number): string {
    const { browser, range } = this.#list;
    const { rows, settings, tree } = browser;
    const filtered =
      rows.filter === ''
        ? ''
        : `/${harmless(rows.filter)} ${figure(rows.rows.length)} of ${figure(rows.total)}, `;
    const marking = range.isOn ? 'marking, ' : '';
    const { hidesDotfiles, hiddenNames } = settings.order;
    const hidden = [hidesDotfiles ? 'dotfiles' : '', harmless(hiddenNames).trim()].join(' ').trim();
    const hiding = hidden === '' ? '' : `without ${hidden}, `;
    const order = orderText(settings.order, tree.hasDisk);
    return `${marking}${hiding}${filtered}${columns < 60 ? order.replace(/ (up|down)$/, '') : order}`;
  }

  #emptyLine(): FrameLine {
    const { rows, tree } = this.#list.browser;
    const error = tree.errorOf(rows.dir);
    if (error !== undefined) return { line: [span(`  ! ${harmless(error)}`, 'bad')] };
    if (rows.total === 0 && tree.childCount(rows.dir) > 0) {
      return { line: [span('  only hidden names (e and H show them)', 'dim')] };
    }
    if (rows.filter !== '') return { line: [span('  no matching name', 'dim')] };
    return { line: [span(tree.isListed(rows.dir) ? '  empty' : '  listing', 'dim')] };
  }
}
