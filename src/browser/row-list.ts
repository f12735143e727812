import { type Key, typed } from '../screen/key.ts';
import { moveCursor, scrollTo } from '../screen/scroll.ts';

/** A cursor on a list whose length changes, and the part of it that is shown. */
export class RowList {
  #cursor = 0;
  #first = 0;
  #rows = 1;

  get cursor(): number {
    return this.#cursor;
  }

  /** Takes the keys that move; `true` where it was one. */
  press(key: Key, total: number): boolean {
    const step = this.#step(key, total);
    if (step === undefined) return false;
    this.#cursor = Math.max(0, moveCursor(this.#cursor, step, total));
    return true;
  }

  /** The lines to show of `total` on so many rows: from the first to before the last. */
  window(total: number, rows: number): readonly [first: number, end: number] {
    this.#rows = Math.max(1, rows);
    this.#cursor = Math.max(0, Math.min(this.#cursor, total - 1));
    this.#first = scrollTo(this.#first, this.#cursor, this.#rows, total);
    return [this.#first, Math.min(total, this.#first + this.#rows)];
  }

  #step(key: Key, total: number): number | undefined {
    const letter = typed(key);
    if (key.name === 'up' || letter === 'k') return -1;
    if (key.name === 'down' || letter === 'j') return 1;
    if (key.name === 'page-up') return -this.#rows;
    if (key.name === 'page-down') return this.#rows;
    if (key.name === 'home') return -total;
    if (key.name === 'end') return total;
    return undefined;
  }
}
