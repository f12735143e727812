import { fill, fitLine } from './cells.ts';
import type { Glyphs } from './look.ts';
import type { Size } from './screen-model.ts';
import { type FrameLine, type Line, span } from './span.ts';

/** A line of a list behind the places of its pointer and its mark, cut to the columns. */
export function cursorLine(
  line: Line,
  selected: boolean,
  columns: number,
  glyphs: Glyphs,
  isMarked?: boolean,
): FrameLine {
  const { pointer, mark, ellipsis } = glyphs;
  const pointed = [
    span(selected ? pointer : ' ', 'accent'),
    span(isMarked === true ? mark : ' ', 'marked', isMarked !== undefined),
    ...line,
  ];
  return { selected, line: fitLine(pointed, columns, ellipsis) };
}

/** The lines of a list around its cursor, as many as there are rows, from `start` on if that shows the cursor. */
export function cursorList<Item>(
  items: ArrayLike<Item>,
  cursor: number,
  { columns, rows }: Size,
  glyphs: Glyphs,
  lineOf: (item: Item, selected: boolean, at: number) => Line,
  start = 0,
  isMarked?: (item: Item) => boolean,
): readonly FrameLine[] {
  const first = scrollTo(start, cursor, rows, items.length);
  return Array.from({ length: Math.min(rows, items.length - first) }, (_, row) => {
    const at = first + row;
    const item = items[at] as Item;
    const selected = at === cursor;
    const line = lineOf(item, selected, at);
    return { ...cursorLine(line, selected, columns, glyphs, isMarked?.(item)), at };
  });
}

/** As many of the lines as there are rows, with that of the cursor among them. */
export function aroundCursor(lines: readonly FrameLine[], rows: number): readonly FrameLine[] {
  const at = lines.findIndex(({ selected }) => selected);
  const first = scrollTo(0, at, rows, lines.length);
  return lines.slice(first, first + rows);
}

/** A line of a menu: its key, its label in a column of `width`, and a note. */
export function menuLine(
  { key, label, note }: Readonly<Record<'key' | 'label' | 'note', string>>,
  width: number,
  selected: boolean,
  { ellipsis }: Pick<Glyphs, 'ellipsis'>,
): Line {
  return [
    span(`${key}  `, 'accent'),
    span(fill(label, width, ellipsis), 'plain', selected),
    span(`  ${note}`, 'dim'),
  ];
}

/** How many columns stand before a line: the pointer, which is on the line with the cursor, and the mark. */
export const POINTER_COLUMNS = 2;

/** The first line to show so that line `cursor` of `total` is among `rows`, with the smallest scroll from `first`. */
export function scrollTo(first: number, cursor: number, rows: number, total: number): number {
  const latest = Math.max(0, total - rows);
  if (cursor < first) return Math.max(0, Math.min(cursor, latest));
  if (cursor >= first + rows) return Math.max(0, Math.min(cursor - rows + 1, latest));
  return Math.max(0, Math.min(first, latest));
}

/** `cursor` moved by `step` among `total` lines, held at both ends. */
export function moveCursor(cursor: number, step: number, total: number): number {
  return Math.max(0, Math.min(total - 1, cursor + step));
}
