import type { FrameField } from './field-line.ts';
import type { KeyHint } from './key-table.ts';
import type { Line } from './span.ts';

/** One line of a screen. */
export interface FrameLine {
  readonly line: Line;
  /** The cursor is on it. */
  readonly selected?: boolean;
  /** The place in a list that keys move on by one; a click goes there. */
  readonly at?: number;
  /** A text that is being typed, instead of the line. */
  readonly field?: FrameField;
}

/** All that is to be drawn of a screen of lines. */
export interface ScreenFrame {
  readonly subject: string;
  readonly aside: string;
  /** As many as there is room for, at most. */
  readonly lines: readonly FrameLine[];
  readonly field?: FrameField;
  /** What the entry under the cursor is, beside the list: lines of as many columns as `layoutOf` gives a pane. */
  readonly pane?: readonly Line[];
  /** A question that stands in a box over the list. */
  readonly box?: readonly Line[];
  /** The lines of the box, where it is a list. */
  readonly boxList?: readonly FrameLine[];
  /** The lines of a question that a key confirms, cut nowhere: it can be confirmed only where they are all drawn. */
  readonly asked?: readonly Line[];
  /** A click on the line of the cursor opens it, as Enter; never where Enter would confirm. */
  readonly opens?: boolean;
  readonly status?: Line | undefined;
  /** The keys that work now. */
  readonly hints: readonly KeyHint[];
}
