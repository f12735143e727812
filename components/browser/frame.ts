import { harmless } from '../../src/core/harmless.ts';
import { cellWidth, cutLeft, fitLine } from '../../src/terminal/cells.ts';
import type { Key } from '../../src/terminal/key.ts';
import type { KeyHint, KeyRule } from '../../src/terminal/key-table.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { ScreenFrame } from '../../src/terminal/screen-frame.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import type { Line } from '../../src/terminal/span.ts';

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
  /** @param size the room beside the pane */
  frame(size: Size, look: Look): PageFrame;
  /** What is under the cursor, where there is room beside the list. */
  pane?(size: Size, look: Look): readonly Line[];
  /** It stands in a box over the page below, where there is room. */
  readonly isBox?: boolean;
  /** Whether what is typed is a text. */
  takesText?(): boolean;
}

/** What a page shows, with its pane where there is room for one. */
export function pageFrame(page: BrowserPage, size: Size, look: Look): PageFrame {
  const { inner, pane } = layoutOf(size, page.pane !== undefined);
  const frame = page.frame(inner, look);
  const fitted = (line: Line, columns: number) => fitLine(line, columns, look.glyphs.ellipsis);
  const beside =
    pane === 0 ? undefined : page.pane?.({ columns: pane, rows: contentRows(inner) }, look);
  const { asked } = frame;
  return {
    ...frame,
    ...(asked === undefined ? {} : { asked: asked.map((line) => fitted(line, inner.columns)) }),
    lines: frame.lines.map((one) => ({ ...one, line: fitted(one.line, inner.columns) })),
    ...(beside === undefined ? {} : { pane: beside.map((line) => fitted(line, pane)) }),
  };
}

/** What stands before the path in the first line, and the blank after it. */
const TITLE_COLUMNS = 'syncer ncdu   '.length;

/** A path as the subject of a page beside `aside`: its end, where there is no room for all of it. */
export function fittedPath(path: string, aside: string, columns: number, { glyphs }: Look): string {
  const room = columns - cellWidth(aside) - TITLE_COLUMNS;
  return cutLeft(harmless(path), Math.max(0, room), glyphs.ellipsis);
}
