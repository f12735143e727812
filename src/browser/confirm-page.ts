import { fitLine } from '../screen/cells.ts';
import { row } from '../screen/key-table.ts';
import type { Line } from '../screen/span.ts';
import type { BrowserPage, PageRule } from './frame.ts';
import { textPage } from './text-page.ts';

/** A question with yes and no. */
export interface ConfirmQuestion {
  readonly subject: string;
  /** What will happen, and to what. */
  readonly lines: readonly Line[];
  /** What `y` does, for the footer. */
  readonly yes: string;
  readonly onYes: () => void;
  /** Other answers. */
  readonly keys?: readonly PageRule[];
  readonly back: () => void;
}

/** Asks before something happens that cannot be undone: `y` does it, `n`, Esc and Enter do not. */
export function confirmPage(question: ConfirmQuestion): BrowserPage {
  const { subject, lines, yes, onYes, keys = [], back } = question;
  const page = textPage({
    subject,
    text: (columns, { glyphs }) => lines.map((line) => fitLine(line, columns, glyphs.ellipsis)),
    keys: () => [
      row('y', yes, '', () => {
        back();
        onYes();
      }),
      ...keys,
      row('n', 'no', 'no; also N', back, { also: 'N' }),
    ],
    back,
  });
  return { ...page, isBox: true };
}
