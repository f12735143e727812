import type { Key } from '../screen/key.ts';
import type { KeyHint, KeyRule } from '../screen/key-table.ts';
import type { Look } from '../screen/look.ts';
import type { ScreenFrame } from '../screen/screen-frame.ts';
import type { Size } from '../screen/screen-model.ts';

/** What a page shows, besides its keys. */
export type PageFrame = Omit<ScreenFrame, 'hints' | 'help'>;

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
