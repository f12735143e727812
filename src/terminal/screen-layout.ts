import { lineWidth } from './cells.ts';
import type { Size } from './screen-model.ts';
import type { Line } from './span.ts';

/** From this size on a screen has rules below its title and above its keys, and room for a pane beside its list. */
const WIDE: Size = { columns: 100, rows: 20 };

/** Columns between a list and its pane: blank, rule, blank. */
export const GUTTER = 3;

/** The row where the content of a screen begins, without the rule below the title. */
export const CONTENT_TOP = 1;

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

/** Where a box stands over its room: its corner, and its lines and columns without the border. */
export function boxPlace(box: readonly Line[], room: Size) {
  const columns = Math.max(1, Math.min(Math.max(20, ...box.map(lineWidth)), room.columns - 4));
  const lines = Math.min(box.length, Math.max(1, room.rows - 2));
  const top = Math.max(0, Math.floor((room.rows - lines - 2) / 3));
  const left = Math.max(0, Math.floor((room.columns - columns - 4) / 2));
  return { top, left, lines, columns };
}
