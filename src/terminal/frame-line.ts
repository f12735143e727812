import type { Line } from './span.ts';

/** One line of a screen. */
export interface FrameLine {
  readonly line: Line;
  /** The cursor is on it. */
  readonly selected?: boolean;
  /** The place in a list that keys move on by one; a click goes there. */
  readonly at?: number;
}
