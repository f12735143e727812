import { fitLine } from '../../src/terminal/cells.ts';
import { moveCursor, scrollTo } from '../../src/terminal/cursor-list.ts';
import { MOVE, stepOf } from '../../src/terminal/list-keys.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { List } from '../ui/list.tsx';
import { useLook, useRoom } from '../ui/screen.tsx';
import type { BrowserPage, PageRule } from './page.ts';
import { PageFrame, type PageFrameProps } from './page-frame.tsx';

/** A cursor on a list whose length changes, and the part of it that is shown. */
export class RowList<Item> {
  readonly #items: () => readonly Item[];
  #cursor: number;
  #first = 0;
  #rows = 1;

  /** @param cursor the row that it begins on */
  constructor(items: () => readonly Item[], cursor = 0) {
    this.#items = items;
    this.#cursor = Math.max(0, cursor);
  }

  get items(): readonly Item[] {
    return this.#items();
  }

  get cursor(): number {
    return this.#cursor;
  }

  set cursor(cursor: number) {
    this.#cursor = moveCursor(cursor, 0, this.items.length);
  }

  get current(): Item | undefined {
    return this.items[this.#cursor];
  }

  move(step: number): void {
    this.#cursor = moveCursor(this.#cursor, step, this.items.length);
  }

  /** The row for the keys that move; the footer does not show it. */
  rule(): PageRule {
    return { ...MOVE, short: '', run: (name) => this.move(stepOf(name, this.#rows)) };
  }

  /** The first line to show on this many rows. */
  first(rows: number): number {
    this.#rows = Math.max(1, rows);
    this.cursor = this.#cursor;
    this.#first = scrollTo(this.#first, this.#cursor, this.#rows, this.items.length);
    return this.#first;
  }
}

/** How a row is drawn. */
export interface RowLook {
  /** Its place among all items. */
  readonly at: number;
  readonly isMarked: boolean;
  readonly columns: number;
  readonly glyphs: Glyphs;
}

/** What a list shows. */
export interface RowsShown<Item> {
  /** A line above the items. */
  readonly head?: ((columns: number) => Line) | undefined;
  /** Stands where there are no items. */
  readonly none?: string | undefined;
  /** What stands behind the place of the pointer and that of the mark. */
  readonly lineOf: (item: Item, look: RowLook) => Line;
  readonly isMarked?: ((item: Item) => boolean) | undefined;
}

interface RowsProps<Item> extends RowsShown<Item> {
  readonly list: RowList<Item>;
}

/** Those of the items that there is room for, around the cursor; a click on its line opens it. */
export function Rows<Item>({ list, head, none = '', lineOf, isMarked }: RowsProps<Item>) {
  const { glyphs } = useLook();
  const { columns, rows } = useRoom();
  const above = head === undefined ? [] : [{ line: head(columns) }];
  const first = list.first(rows - above.length);
  const shown = list.items.slice(first, first + rows).map((item, row) => {
    const at = first + row;
    const selected = at === list.cursor;
    const marked = isMarked?.(item);
    const line = lineOf(item, { at, isMarked: marked === true, columns, glyphs });
    return { at, selected, line: [...markSpans(selected, glyphs, marked), ...line] };
  });
  const all = [...above, ...(shown.length > 0 ? shown : [{ line: [span(`  ${none}`, 'dim')] }])];
  const lines = all.slice(0, rows).map(({ line, ...place }) => ({
    ...place,
    line: fitLine(line, columns, glyphs.ellipsis),
  }));
  return <List lines={lines} opens />;
}

/** What stands first in a line: the pointer where the cursor is, and the mark, where there may be one. */
export function markSpans(isSelected: boolean, glyphs: Glyphs, isMarked?: boolean): Line {
  const mark = span(isMarked === true ? glyphs.mark : ' ', 'marked', isMarked !== undefined);
  return [span(isSelected ? glyphs.pointer : ' ', 'accent'), mark];
}

interface RowsPageParts<Item> {
  readonly list: RowList<Item>;
  /** The keys, for the item under the cursor. */
  readonly keys: (item: Item | undefined) => readonly PageRule[];
  /** What it shows, and what stands around that. */
  readonly view: () => RowsShown<Item> & Omit<PageFrameProps, 'page' | 'children'>;
}

/** A page of a list. */
export function rowsPage<Item>({ list, keys, view }: RowsPageParts<Item>): BrowserPage {
  const page: BrowserPage = {
    keys: () => keys(list.current),
    view: () => {
      const { head, none, lineOf, isMarked, ...frame } = view();
      const shown = { list, head, none, lineOf, isMarked };
      return (
        <PageFrame page={page} {...frame}>
          <Rows {...shown} />
        </PageFrame>
      );
    },
  };
  return page;
}
