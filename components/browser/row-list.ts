import { moveCursor, scrollTo } from '../../src/terminal/cursor-list.ts';
import { MOVE, stepOf } from '../../src/terminal/list-keys.ts';
import type { PageRule } from './frame.ts';

/** A cursor on a list whose length changes, and the part of it that is shown. */
export class RowList {
  #cursor = 0;
  #first = 0;
  #rows = 1;

  get cursor(): number {
    return this.#cursor;
  }

  /** The row for the keys that move; the footer does not show it. */
  rule(total: number): PageRule {
    const run = (name: string) => {
      this.#cursor = moveCursor(this.#cursor, stepOf(name, this.#rows), total);
    };
    return { ...MOVE, short: '', run };
  }

  /** The lines to show of `total` on this many rows: from the first to before the last. */
  window(total: number, rows: number): readonly [first: number, end: number] {
    this.#rows = Math.max(1, rows);
    this.#cursor = Math.max(0, Math.min(this.#cursor, total - 1));
    this.#first = scrollTo(this.#first, this.#cursor, this.#rows, total);
    return [this.#first, Math.min(total, this.#first + this.#rows)];
  }
}
