import { harmless } from '../core/harmless.ts';
import { cellWidth, cutLeft } from '../screen/cells.ts';
import { isCtrl, type Key, typed } from '../screen/key.ts';
import type { Look } from '../screen/look.ts';
import type { Size } from '../screen/screen-model.ts';
import { span } from '../screen/span.ts';
import { type EditedText, editByKey, editText } from '../screen/text-edit.ts';
import type { NodeId } from '../size-tree/node.ts';
import { basketPage } from './basket-page.ts';
import type { Browser } from './browser.ts';
import { LIST_HINTS } from './browser-keys.ts';
import { orderText, settingsAfter } from './browser-settings.ts';
import { askToDelete } from './delete-entries.ts';
import { entryLine } from './entry-line.ts';
import { infoPage, joinTitle, viewPage } from './entry-pages.ts';
import { type BrowserPage, contentRows, type Frame, type FrameLine } from './frame.ts';
import { errorsPage, helpPage } from './list-texts.ts';
import { RangeMark } from './range-mark.ts';
import { statusLine } from './status-line.ts';
import { tasksPage } from './tasks-page.ts';
import { askWhereTo, download } from './transfer-entries.ts';

/** The entries of one directory: the page that the browser begins with and comes back to. */
export class BrowserList implements BrowserPage {
  readonly #browser: Browser;
  readonly #range: RangeMark;
  #typing: EditedText | undefined;
  #rowsShown = 1;

  constructor(browser: Browser) {
    this.#browser = browser;
    this.#range = new RangeMark(browser.rows, browser.marks);
  }

  takesText(): boolean {
    return this.#typing !== undefined;
  }

  press(key: Key): void {
    const { rows } = this.#browser;
    rows.hold();
    rows.refresh();
    if (this.#typing !== undefined && this.#typeFilter(this.#typing, key)) return;
    if (!this.#move(key) && !this.#walk(key)) this.#letter(key);
    this.#range.follow();
  }

  frame(size: Size, look: Look): Frame {
    const { rows, tree, settings, marks, title } = this.#browser;
    const typing = this.#typing;
    this.#rowsShown = contentRows(size, true, typing !== undefined);
    rows.refresh();
    rows.resize(this.#rowsShown);
    const shown = rows.rows.subarray(rows.first, rows.first + this.#rowsShown);
    const lines = Array.from(shown, (node, at): FrameLine => {
      const selected = rows.first + at === rows.cursor;
      const marked = marks.has(node) || this.#range.has(node);
      const whole = tree.size(rows.dir);
      const { largest } = rows;
      const how = { settings, columns: size.columns, glyphs: look.glyphs, marked, selected };
      return { selected, line: entryLine(tree, node, { ...how, largest, whole }) };
    });
    const aside = this.#aside(size.columns);
    const path = harmless(joinTitle(title, tree.path(rows.dir)));
    const room = size.columns - cellWidth(aside) - TITLE_COLUMNS;
    return {
      subject: cutLeft(path, Math.max(0, room), look.glyphs.ellipsis),
      aside,
      lines: lines.length > 0 ? lines : [this.#emptyLine()],
      ...(typing === undefined ? {} : { field: { label: '/', edited: typing } }),
      status: statusLine(this.#browser, size.columns, look),
      hints: typing === undefined ? LIST_HINTS : FILTER_HINTS,
    };
  }

  #aside(columns: number): string {
    const { rows, settings } = this.#browser;
    const filtered =
      rows.filter === '' ? '' : `/${harmless(rows.filter)} ${rows.rows.length} of ${rows.total}, `;
    const range = this.#range.isOn ? 'marking, ' : '';
    const order = orderText(settings.order);
    return `${range}${filtered}${columns < 60 ? order.replace(/ (up|down)$/, '') : order}`;
  }

  #emptyLine(): FrameLine {
    const { rows, tree } = this.#browser;
    const error = tree.errorOf(rows.dir);
    if (error !== undefined) return { line: [span(`  ! ${harmless(error)}`, 'bad')] };
    if (rows.filter !== '') return { line: [span('  no matching name', 'dim')] };
    return { line: [span(tree.isListed(rows.dir) ? '  empty' : '  listing', 'dim')] };
  }

  /** The filter while it is typed; `false` where the key is one of the list's. */
  #typeFilter(typing: EditedText, key: Key): boolean {
    const { rows } = this.#browser;
    if (key.name === 'up' || key.name === 'down') return false;
    if (key.name === 'page-up' || key.name === 'page-down') return false;
    if (key.name === 'enter') this.#typing = undefined;
    else if (key.name === 'escape') {
      this.#typing = undefined;
      rows.setFilter('');
    } else {
      const edited = editByKey(typing, key) ?? typing;
      this.#typing = edited;
      rows.setFilter(edited.text);
    }
    return true;
  }

  #move(key: Key): boolean {
    const { rows } = this.#browser;
    const letter = typed(key);
    const all = rows.rows.length;
    const page = this.#rowsShown;
    const steps: Readonly<Record<string, number>> = {
      ...{ up: -1, k: -1, down: 1, j: 1, 'page-up': -page, 'page-down': page },
      ...{ home: -all, end: all },
    };
    const step = steps[letter ?? key.name];
    if (step !== undefined) rows.move(step);
    return step !== undefined;
  }

  /** Keys that go to another directory, or back from somewhere. */
  #walk(key: Key): boolean {
    const { rows, tree } = this.#browser;
    const letter = typed(key);
    if (key.name === 'right' || key.name === 'enter' || letter === 'l') {
      const { current } = rows;
      if (current !== undefined && tree.isDir(current)) this.#enter(current);
      else if (current !== undefined) this.#browser.open(viewPage(this.#browser, current));
      return true;
    }
    if (key.name === 'left' || key.name === 'backspace' || letter === 'h') {
      this.#up();
      return true;
    }
    if (key.name !== 'escape') return false;
    if (this.#range.isOn) this.#range.cancel();
    else if (rows.filter !== '') rows.setFilter('');
    else this.#up();
    return true;
  }

  #enter(dir: NodeId): void {
    this.#range.end();
    this.#browser.rows.open(dir);
  }

  #up(): void {
    const { rows, tree } = this.#browser;
    const parent = tree.parent(rows.dir);
    if (parent === -1) {
      this.#browser.tell('top level; q quits');
      return;
    }
    this.#range.end();
    rows.open(parent, rows.dir);
  }

  #letter(key: Key): void {
    const browser = this.#browser;
    const { rows, marks, tree } = browser;
    if (isCtrl(key, 'l')) {
      browser.redraw();
      return;
    }
    const letter = typed(key) ?? (key.name === 'delete' ? 'd' : '');
    const settings = settingsAfter(browser.settings, letter);
    if (settings !== undefined) {
      browser.settings = settings;
      rows.setOrder(settings.order);
      return;
    }
    const { current } = rows;
    if (letter === 'D') this.#range.end();
    const chosen = () => {
      this.#range.end();
      return marks.size > 0 ? marks.topmost() : current === undefined ? [] : [current];
    };
    const onCurrent: Readonly<Record<string, (node: NodeId) => void>> = {
      d: (node) => askToDelete(browser, [node]),
      i: (node) => browser.open(infoPage(browser, node)),
      o: (node) => (tree.isDir(node) ? this.#enter(node) : browser.open(viewPage(browser, node))),
      v: (node) => (this.#range.isOn ? this.#range.end() : marks.toggle(node)),
      ' ': (node) => {
        marks.toggle(node);
        rows.move(1);
      },
      y: (node) => this.#copyPath(node),
      Y: (node) => browser.tell(harmless(joinTitle(browser.title, tree.path(node)))),
    };
    const always: Readonly<Record<string, () => void>> = {
      D: () => askToDelete(browser, marks.topmost()),
      V: () => (this.#range.isOn ? this.#range.end() : this.#range.begin()),
      U: () => marks.clear(),
      b: () => browser.open(basketPage(browser)),
      t: () => browser.open(tasksPage(browser)),
      e: () => browser.open(errorsPage(browser)),
      p: () => askWhereTo(browser, 'copy', chosen()),
      R: () => askWhereTo(browser, 'move', chosen()),
      w: () => download(browser, chosen()),
      r: () => browser.rescan(rows.dir),
      x: () => browser.stopScan(),
      q: () => browser.leave(),
      '/': () => {
        this.#typing = editText(rows.filter);
      },
      '?': () => browser.open(helpPage(browser)),
    };
    if (letter === 'V' && current === undefined) return;
    always[letter]?.();
    if (current !== undefined) onCurrent[letter]?.(current);
  }

  #copyPath(node: NodeId): void {
    const path = joinTitle(this.#browser.title, this.#browser.tree.path(node));
    this.#browser.effects.copyText(path);
    this.#browser.tell(`copied: ${harmless(path)}`, 'good');
  }
}

/** What stands before the path in the first line, and the blank after it. */
const TITLE_COLUMNS = 'syncer ncdu   '.length;

const FILTER_HINTS = [
  { keys: 'Enter', does: 'keep' },
  { keys: 'Esc', does: 'show all' },
  { keys: '↑↓', does: 'move' },
];
