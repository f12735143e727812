import { fitLine } from '../screen/cells.ts';
import { row } from '../screen/key-table.ts';
import type { Line } from '../screen/span.ts';
import type { BrowserPage } from './frame.ts';
import { textPage } from './text-page.ts';

/** A question with yes and no. */
export interface ConfirmQuestion {
  readonly subject: string;
  /** What will happen, and to what. */
  readonly lines: readonly Line[];
  /** What `y` does, for the footer. */
  readonly yes: string;
  readonly onYes: () => void;
  readonly back: () => void;
}

/** Asks before something happens that cannot be undone: `y` does it, `n`, Esc and Enter do not. */
export function confirmPage({ subject, lines, yes, onYes, back }: ConfirmQuestion): BrowserPage {
  const page = textPage({
    subject,
    text: (columns, { glyphs }) => lines.map((line) => fitLine(line, columns, glyphs.ellipsis)),
    keys: () => [
      row('y', yes, '', () => {
        back();
        onYes();
      }),
      row('n', 'no', 'no; also N', back, { also: 'N' }),
    ],
    back,
  });
  return { ...page, isBox: true };
}
