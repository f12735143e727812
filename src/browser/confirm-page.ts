import { fitLine, wrap } from '../screen/cells.ts';
import { row } from '../screen/key-table.ts';
import type { Look } from '../screen/look.ts';
import { contentRows } from '../screen/screen-layout.ts';
import type { Size } from '../screen/screen-model.ts';
import { type Line, span } from '../screen/span.ts';
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

/** A sentence, indented by two blanks, over as many lines as it takes; a name in one. */
function sentenceLines(line: Line, columns: number, ellipsis: string): readonly Line[] {
  const [first, second] = line;
  const isSentence = second === undefined || first?.bold === true;
  if (first === undefined || !isSentence || !/^ {2}\S/.test(first.text)) {
    return [fitLine(line, columns, ellipsis)];
  }
  const text = line.map((part) => part.text).join('');
  const parts = wrap(text.slice(2), columns - 2);
  return parts.length === 1 ? [line] : parts.map((part) => [{ ...first, text: `  ${part}` }]);
}

/** A smaller room shows too little of a question to answer it. */
const LEAST: Size = { columns: 20, rows: 3 };

/** How many rows of a longer question have to be seen: what happens, and to what. The others can be scrolled to. */
const ENOUGH = 6;

/**
 * Asks before something happens that cannot be undone: `y` does it, `n`, Esc and Enter do not. In a room that is too
 * small for the question `y` does nothing.
 */
export function confirmPage(question: ConfirmQuestion): BrowserPage {
  const { subject, lines, yes, onYes, keys = [], back } = question;
  let isShown = true;
  const confirm = () => {
    back();
    onYes();
  };
  const questionFor = (columns: number, { glyphs }: Look) =>
    lines.flatMap((line) => sentenceLines(line, columns, glyphs.ellipsis));
  const page = textPage({
    subject,
    text: (columns, look) =>
      isShown ? questionFor(columns, look) : [[span('enlarge the window to answer', 'warn')]],
    keys: () => [
      ...(isShown ? [row('y', yes, '', confirm, { confirms: true })] : []),
      ...keys.map((rule) => ({ ...rule, confirms: true as const })),
      row('n', 'no', 'no; also N', back, { also: 'N' }),
    ],
    back,
  });
  return {
    ...page,
    isBox: true,
    frame(size, look) {
      const rows = contentRows(size);
      const wanted = Math.min(ENOUGH, questionFor(size.columns, look).length);
      isShown = size.columns >= LEAST.columns && rows >= Math.max(LEAST.rows, wanted);
      return page.frame(size, look);
    },
  };
}
