import { moveCursor, scrollTo } from '../../src/terminal/cursor-list.ts';
import { MOVE, stepOf } from '../../src/terminal/list-keys.ts';
import type { PageRule } from './page.ts';

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
