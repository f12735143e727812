import { fitLine, wrap } from '../../src/terminal/cells.ts';
import { ENOUGH_LINES } from '../../src/terminal/drawn-question.ts';
import { scrolledBy, scrolledRange } from '../../src/terminal/help-lines.ts';
import { row } from '../../src/terminal/key-table.ts';
import { MOVE, stepOf } from '../../src/terminal/list-keys.ts';
import type { Look } from '../../src/terminal/look.ts';
import { contentRows, layoutOf } from '../../src/terminal/screen-layout.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import type { PageQuestion } from '../ui/question.ts';
import { Lines } from '../ui/text.tsx';
import type { BrowserPage, PageRule } from './page.ts';
import { PageFrame } from './page-frame.tsx';

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
  /** All keys, where it takes no others. */
  readonly only?: readonly PageRule[];
  /** It stands in a dialog over the page below, if the window has room for one. */
  readonly isDialog?: boolean;
  readonly back: () => void;
}

/** A page of lines that can be scrolled. */
export function textPage(parts: TextPageParts): BrowserPage {
  const { subject, text, keys, withHelp, only, isDialog = false, back } = parts;
  let first = 0;
  let rows = 1;
  let total = 0;
  const scroll = (step: number) => {
    first = scrolledBy(first, step, total, rows);
  };
  const linesOf = (columns: number, look: Look) =>
    text(columns, look).map((line) => fitLine(line, columns, look.glyphs.ellipsis));
  const settle = (lines: readonly Line[], room: number) => {
    total = lines.length;
    rows = Math.max(1, room);
    scroll(0);
  };
  const leave: PageRule =
    withHelp === undefined
      ? row('Esc', 'back', 'go back; also ←, Enter, q, h and ?', back, { also: '← Enter q h ?' })
      : row('Esc', 'back', 'go back; also ←, Enter, q and h', back, { also: '← Enter q h' });
  /** @param hasHead its subject stands above it */
  const questionOf = (look: Look, hasHead: boolean): PageQuestion => ({
    isLarge: true,
    enough: ENOUGH_LINES + (hasHead ? HEAD_ROWS : 0),
    lines({ columns, rows: room }) {
      const lines = linesOf(columns, look);
      if (Number.isFinite(room)) settle(lines, room - (hasHead ? HEAD_ROWS : 0));
      const shown = lines.slice(first);
      if (!hasHead) return shown.map((line) => ({ line }));
      const range = scrolledRange(total, first, rows);
      const head = [span(subject, 'section'), span(range === '' ? '' : `  ${range}`, 'dim')];
      const all = [fitLine(head, columns, look.glyphs.ellipsis), [], ...shown];
      return all.map((line) => ({ line }));
    },
  });
  const page: BrowserPage = {
    keys() {
      if (only !== undefined) return only;
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
    view(size, look) {
      const { inner } = layoutOf(size, false);
      const lines = linesOf(inner.columns, look);
      settle(lines, contentRows(inner));
      return (
        <PageFrame
          page={page}
          subject={subject}
          aside={scrolledRange(total, first, rows)}
          question={isDialog ? questionOf(look, false) : undefined}
        >
          {isDialog ? null : <Lines lines={lines} first={first} />}
        </PageFrame>
      );
    },
    ...(isDialog ? { dialog: (look) => questionOf(look, true) } : {}),
  };
  return page;
}

/** The subject of a dialog, and a blank line. */
const HEAD_ROWS = 2;

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
  const confirm = () => {
    back();
    onYes();
  };
  return textPage({
    subject,
    text: (columns) => lines.flatMap((line) => sentenceLines(line, columns)),
    keys: () => [
      row('y', yes, '', confirm, { confirms: true }),
      ...keys.map((rule) => ({ ...rule, confirms: true as const })),
      row('n', 'no', 'no; also N', back, { also: 'N' }),
    ],
    isDialog: true,
    back,
  });
}

/** A sentence, indented by two blanks, over as many lines as it takes; a name in one. */
function sentenceLines(line: Line, columns: number): readonly Line[] {
  const [first, second] = line;
  const isSentence = second === undefined || first?.bold === true;
  if (first === undefined || !isSentence || !/^ {2}\S/.test(first.text)) return [line];
  const text = line.map((part) => part.text).join('');
  const parts = wrap(text.slice(2), columns - 2);
  return parts.length === 1 ? [line] : parts.map((part) => [{ ...first, text: `  ${part}` }]);
}
