import { ENOUGH_LINES } from '../../src/terminal/drawn-question.ts';
import { scrolledBy, scrolledRange } from '../../src/terminal/help-lines.ts';
import { row } from '../../src/terminal/key-table.ts';
import { MOVE, stepOf } from '../../src/terminal/list-keys.ts';
import type { Look } from '../../src/terminal/look.ts';
import { contentRows } from '../../src/terminal/screen-layout.ts';
import type { Line } from '../../src/terminal/span.ts';
import type { BrowserPage, PageRule } from './frame.ts';

/** The text of a page, for the width of the terminal. */
export type PageText = (columns: number, look: Look) => readonly Line[];

/** What a page of text is made of. */
export interface TextPageParts {
  readonly subject: string;
  readonly text: PageText;
  /** Keys besides those that scroll and go back. */
  readonly keys?: () => readonly PageRule[];
  /** Adds the key of a page about all keys; absent: `?` goes back. */
  readonly withHelp?: (keys: readonly PageRule[]) => readonly PageRule[];
  readonly back: () => void;
}

/** A page of lines that can be scrolled. */
export function textPage({ subject, text, keys, withHelp, back }: TextPageParts): BrowserPage {
  let first = 0;
  let rows = 1;
  let total = 0;
  const scroll = (step: number) => {
    first = scrolledBy(first, step, total, rows);
  };
  const leave: PageRule =
    withHelp === undefined
      ? row('Esc', 'back', 'go back; also ←, Enter, q, h and ?', back, { also: '← Enter q h ?' })
      : row('Esc', 'back', 'go back; also ←, Enter, q and h', back, { also: '← Enter q h' });
  return {
    keys() {
      const all: readonly PageRule[] = [
        leave,
        row(
          '↑↓',
          'scroll',
          'scroll; also j and k, PgUp, PgDn and Space, Home and End, g and G',
          (name) => scroll(stepOf(name, rows)),
          { also: `${MOVE.also} Space`, short: total > rows ? '↑↓' : '' },
        ),
        ...(keys?.() ?? []),
      ];
      return withHelp?.(all) ?? all;
    },
    frame(size, look) {
      const lines = text(size.columns, look);
      total = lines.length;
      rows = contentRows(size);
      scroll(0);
      const shown = lines.slice(first, first + rows).map((line) => ({ line }));
      const wanted = Math.min(ENOUGH_LINES, total);
      const from = Math.min(first, total - wanted);
      const asked = lines.slice(from, from + wanted);
      return { subject, aside: scrolledRange(total, first, rows), lines: shown, asked };
    },
  };
}
