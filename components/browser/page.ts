import type { ReactNode } from 'react';
import { moveCursor, scrollTo } from '../../src/terminal/cursor-list.ts';
import type { Key } from '../../src/terminal/key.ts';
import { ACTIONS, HELP, type KeyRule, row } from '../../src/terminal/key-table.ts';
import { MOVE, stepOf } from '../../src/terminal/list-keys.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import type { PageQuestion } from '../ui/question.ts';

export type PageRule = KeyRule<(name: string, key: Key) => void>;

/** The rows for the search and the help of a page. */
export const HELPS: readonly [search: PageRule, help: PageRule] = [
  { ...ACTIONS, short: '' },
  { ...HELP, more: 'show this page' },
];

/** One of the pages of the browser: it takes the keys while it lies on top. */
export interface BrowserPage {
  keys(): readonly PageRule[];
  /** The footer, where its order is another. */
  footer?(): readonly PageRule[];
  beforeKey?(): void;
  /** What it shows: a `PageFrame` with its content. @param size of the window */
  view(size: Size, look: Look): ReactNode;
  /** It stands in a dialog over the page below, if the window has room for one: what is in that. */
  dialog?(look: Look): PageQuestion;
}

/** A cursor on a list whose length changes, and the part of it that is shown. */
export class RowList<Items extends ArrayLike<unknown>> {
  readonly #items: () => Items;
  #cursor: number;
  #rows = 1;
  protected firstShown = 0;

  /** @param cursor the row that it begins on */
  constructor(items: () => Items, cursor = 0) {
    this.#items = items;
    this.#cursor = Math.max(0, cursor);
  }

  get items(): Items {
    return this.#items();
  }

  get cursor(): number {
    return this.#cursor;
  }

  set cursor(cursor: number) {
    this.#cursor = moveCursor(cursor, 0, this.items.length);
  }

  get current(): Items[number] | undefined {
    return this.items[this.#cursor];
  }

  move(step: number): void {
    this.#cursor = moveCursor(this.#cursor, step, this.items.length);
  }

  /** Moves as the key of that name says. */
  follow(name: string): void {
    this.move(stepOf(name, this.#rows));
  }

  /** The row for the keys that move; the footer does not show it. */
  rule(): PageRule {
    return { ...MOVE, short: '', run: (name) => this.follow(name) };
  }

  /** The first row to show, on this many rows. */
  first(rows: number): number {
    this.#rows = Math.max(1, rows);
    this.cursor = this.#cursor;
    this.firstShown = scrollTo(this.firstShown, this.#cursor, this.#rows, this.items.length);
    return this.firstShown;
  }
}

/** The row for the keys that go back. @param own the key that has opened the page */
export function backRow(back: () => void, own = ''): PageRule {
  const others = own === '' ? 'q and h' : `q, h and ${own}`;
  return row('Esc', 'back', `go back; also ←, ${others}`, back, { also: `← q h ${own}`.trim() });
}

/** Rows that the footer shows only where they can do something. */
export function shownIf(isShown: boolean, ...rules: readonly PageRule[]): readonly PageRule[] {
  return isShown ? rules : rules.map((rule) => ({ ...rule, short: '' }));
}
