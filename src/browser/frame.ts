import type { Key } from '../screen/key.ts';
import type { KeyHint, KeyRule } from '../screen/key-table.ts';
import type { Look } from '../screen/look.ts';
import type { Size } from '../screen/screen-model.ts';
import type { Line } from '../screen/span.ts';
import type { EditedText } from '../screen/text-edit.ts';

/** One line of a page. */
export interface FrameLine {
  readonly line: Line;
  /** The cursor is on it. */
  readonly selected?: boolean;
}

/** A text that is being typed. */
export interface FrameField {
  readonly label: string;
  readonly edited: EditedText;
  readonly placeholder?: string;
}

/** What a page shows, besides its keys. */
export interface PageFrame {
  readonly subject: string;
  readonly aside: string;
  /** As many as there is room for, at most. */
  readonly lines: readonly FrameLine[];
  readonly field?: FrameField;
  readonly status?: Line | undefined;
}

/** All that is to be drawn. */
export interface Frame extends PageFrame {
  readonly hints: readonly KeyHint[];
}

/** A key of a page. */
export type PageRule = KeyRule<(name: string, key: Key) => void>;

/** One of the pages of the browser: it takes the keys while it lies on top. */
export interface BrowserPage {
  /** The keys that work now. */
  keys(): readonly PageRule[];
  /** The footer, where its order is another. */
  footer?(): readonly KeyHint[];
  /** Runs what a key does, with what is to be done before and after. */
  take?(run: () => void): void;
  frame(size: Size, look: Look): PageFrame;
  /** Whether what is typed is a text. */
  takesText?(): boolean;
}

/** How many lines a page has for its content. */
export function contentRows(size: Size, hasStatus: boolean, hasField = false): number {
  return Math.max(1, size.rows - 2 - (hasStatus ? 1 : 0) - (hasField ? 1 : 0));
}
