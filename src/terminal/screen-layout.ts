import type { Size } from './screen-model.ts';

/** From this size on a screen has rules below its title and above its keys, and room for a pane beside its list. */
const WIDE: Size = { columns: 100, rows: 20 };
/** From this width on two lists of the same kind stand side by side. */
const PAIR_COLUMNS = 72;

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
  const isShared = hasPane && (isWide || (isPair && columns >= PAIR_COLUMNS));
  const list = isShared ? Math.floor(isPair ? (columns - GUTTER) / 2 : columns * 0.55) : columns;
  const pane = isShared ? columns - list - GUTTER : 0;
  return { isWide, inner: { columns: list, rows: isWide ? rows - 2 : rows }, pane };
}

/** Rows for the content of a screen of the inner size: without title, keys and `besides`. */
export const contentRows = ({ rows }: Size, besides = 0): number => Math.max(1, rows - 2 - besides);
