import { fitLine } from './cells.ts';
import type { Glyphs } from './look.ts';
import { pointed } from './pointed.ts';
import type { FrameLine } from './screen-frame.ts';
import type { Size } from './screen-model.ts';
import { scrollTo } from './scroll.ts';
import type { Line } from './span.ts';

/** A line of a list with its pointer, cut to the columns. */
export function cursorLine(
  line: Line,
  selected: boolean,
  columns: number,
  glyphs: Glyphs,
): FrameLine {
  return { selected, line: fitLine(pointed(line, selected, glyphs), columns, glyphs.ellipsis) };
}

/** The lines of a list around its cursor, as many as there are rows. */
export function cursorList<Item>(
  items: readonly Item[],
  cursor: number,
  { columns, rows }: Size,
  glyphs: Glyphs,
  lineOf: (item: Item, selected: boolean) => Line,
): readonly FrameLine[] {
  const first = scrollTo(0, cursor, rows, items.length);
  return items.slice(first, first + rows).map((item, at) => {
    const selected = first + at === cursor;
    return cursorLine(lineOf(item, selected), selected, columns, glyphs);
  });
}
