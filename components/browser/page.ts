import type { ReactNode } from 'react';
import type { Key } from '../../src/terminal/key.ts';
import { ACTIONS, HELP, type KeyRule } from '../../src/terminal/key-table.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import type { PageQuestion } from '../ui/question.ts';

/** A key of a page. */
export type PageRule = KeyRule<(name: string, key: Key) => void>;

/** The rows for the search and the help of a page. */
export const HELPS: readonly [search: PageRule, help: PageRule] = [
  { ...ACTIONS, short: '' },
  { ...HELP, more: 'show this page' },
];

/** One of the pages of the browser: it takes the keys while it lies on top. */
export interface BrowserPage {
  keys(): readonly PageRule[];
  /** The footer, where its order is another. */
  footer?(): readonly PageRule[];
  beforeKey?(): void;
  /** What it shows: a `PageFrame` with its content. @param size of the window */
  view(size: Size, look: Look): ReactNode;
  /** It stands in a dialog over the page below, if the window has room for one: what is in that. */
  dialog?(look: Look): PageQuestion;
}
