import { type Key, typed } from '../screen/key.ts';
import type { KeyHint } from '../screen/key-table.ts';
import type { Look } from '../screen/look.ts';
import type { Size } from '../screen/screen-model.ts';
import { moveCursor } from '../screen/scroll.ts';
import type { Line } from '../screen/span.ts';
import { type BrowserPage, contentRows, type Frame } from './frame.ts';

/** The text of a page, for the width of the terminal. */
export type PageText = (columns: number, look: Look) => readonly Line[];

/** What a page of text is made of. */
export interface TextPageParts {
  readonly subject: string;
  readonly text: PageText;
  /** Keys besides those that scroll and go back; `true` where the key was taken. */
  readonly press?: (key: Key) => boolean;
  readonly hints?: readonly KeyHint[];
  readonly back: () => void;
}

/** A page of lines that can be scrolled. */
export function textPage({ subject, text, press, hints = [], back }: TextPageParts): BrowserPage {
  let first = 0;
  let rows = 1;
  let total = 0;
  const scroll = (step: number) => {
    first = moveCursor(first, step, Math.max(1, total - rows + 1));
  };
  const steps: Readonly<Record<string, () => number>> = {
    up: () => -1,
    down: () => 1,
    'page-up': () => -rows,
    'page-down': () => rows,
    home: () => -total,
    end: () => total,
    k: () => -1,
    j: () => 1,
    ' ': () => rows,
  };
  return {
    press(key) {
      if (press?.(key) === true) return;
      const letter = typed(key);
      const step = steps[letter ?? key.name];
      if (step !== undefined) return scroll(step());
      const leaves = key.name === 'escape' || key.name === 'left' || key.name === 'enter';
      if (leaves || letter === 'q' || letter === 'h' || letter === '?') back();
    },
    frame(size: Size, look: Look): Frame {
      const lines = text(size.columns, look);
      total = lines.length;
      rows = contentRows(size, false);
      scroll(0);
      const shown = lines.slice(first, first + rows).map((line) => ({ line }));
      const aside = total > rows ? `${first + 1}-${Math.min(total, first + rows)} of ${total}` : '';
      const keys = [{ keys: 'Esc', does: 'back' }, ...(total > rows ? [SCROLL] : []), ...hints];
      return { subject, aside, lines: shown, hints: keys };
    },
  };
}

const SCROLL: KeyHint = { keys: '↑↓', does: 'scroll' };
