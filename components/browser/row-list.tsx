import { fitLine } from '../../src/terminal/cells.ts';
import { moveCursor, scrollTo } from '../../src/terminal/cursor-list.ts';
import { MOVE, stepOf } from '../../src/terminal/list-keys.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { List } from '../ui/list.tsx';
import { useLook, useRoom } from '../ui/screen.tsx';
import type { PageRule } from './page.ts';

/** A cursor on a list whose length changes, and the part of it that is shown. */
export class RowList {
  #cursor: number;
  #first = 0;
  #rows = 1;

  /** @param cursor the row that it begins on */
  constructor(cursor = 0) {
    this.#cursor = cursor;
  }

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

/** How a row is drawn. */
export interface RowLook {
  /** Its place among all items. */
  readonly at: number;
  readonly selected: boolean;
  readonly columns: number;
  readonly glyphs: Glyphs;
}

interface RowsProps<Item> {
  readonly list: Pick<RowList, 'cursor' | 'window'>;
  readonly items: readonly Item[];
  /** A line above the items. */
  readonly head?: ((columns: number) => Line) | undefined;
  /** Stands where there are no items. */
  readonly none: string;
  readonly lineOf: (item: Item, look: RowLook) => Line;
}

/** Those of the items that there is room for, around the cursor; a click on its line opens it. */
export function Rows<Item>({ list, items, head, none, lineOf }: RowsProps<Item>) {
  const { glyphs } = useLook();
  const { columns, rows } = useRoom();
  const above =
    head === undefined ? [] : [{ line: fitLine(head(columns), columns, glyphs.ellipsis) }];
  const [first, end] = list.window(items.length, rows - above.length);
  const lines = items.slice(first, end).map((item, row) => {
    const at = first + row;
    const selected = at === list.cursor;
    const line = lineOf(item, { at, selected, columns, glyphs });
    return { at, selected, line: fitLine(line, columns, glyphs.ellipsis) };
  });
  const shown = lines.length > 0 ? lines : [{ line: [span(`  ${none}`, 'dim')] }];
  return <List lines={[...above, ...shown].slice(0, rows)} opens />;
}
