import type { Size } from './screen-model.ts';

/** From this size on a screen has rules below its title and above its keys, and room for a pane beside its list. */
const WIDE: Size = { columns: 100, rows: 20 };

/** Columns between a list and its pane: blank, rule, blank. */
export const GUTTER = 3;

/** How the room of a screen is shared. */
export interface ScreenLayout {
  /** There are rules below the title and above the keys. */
  readonly isWide: boolean;
  /** What the lines of the screen have: without the pane, and with two rows less where there are rules. */
  readonly inner: Size;
  /** Columns of the pane; 0 where there is none. */
  readonly pane: number;
}

/** The layout of a screen, with a pane beside its list, which may be another list, or without. */
export function layoutOf({ columns, rows }: Size, hasPane: boolean, isPair = false): ScreenLayout {
  const isWide = columns >= WIDE.columns && rows >= WIDE.rows;
  if (!isWide) return { isWide, inner: { columns, rows }, pane: 0 };
  const list = hasPane ? Math.floor(isPair ? (columns - GUTTER) / 2 : columns * 0.55) : columns;
  const pane = hasPane ? columns - list - GUTTER : 0;
  return { isWide, inner: { columns: list, rows: rows - 2 }, pane };
}

/** Rows for the content of a screen of the inner size: without title, keys and `besides`. */
export function contentRows({ rows }: Size, besides = 0): number {
  return Math.max(1, rows - 2 - besides);
}
