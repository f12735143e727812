import { fitLine, wrap } from '../../src/terminal/cells.ts';
import { row } from '../../src/terminal/key-table.ts';
import type { Line } from '../../src/terminal/span.ts';
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

/** Asks before something happens that cannot be undone: `y` does it, `n`, Esc and Enter do not. */
export function confirmPage(question: ConfirmQuestion): BrowserPage {
  const { subject, lines, yes, onYes, keys = [], back } = question;
  const confirm = () => {
    back();
    onYes();
  };
  const page = textPage({
    subject,
    text: (columns, { glyphs }) =>
      lines.flatMap((line) => sentenceLines(line, columns, glyphs.ellipsis)),
    keys: () => [
      row('y', yes, '', confirm, { confirms: true }),
      ...keys.map((rule) => ({ ...rule, confirms: true as const })),
      row('n', 'no', 'no; also N', back, { also: 'N' }),
    ],
    back,
  });
  return { ...page, isBox: true };
}
