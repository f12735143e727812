import { figure } from '../core/shown-text.ts';
import { cellWidth, wrap } from './cells.ts';
import { moveCursor } from './cursor-list.ts';
import { helpKeys, type KeyHint, spelled } from './key-table.ts';
import type { Look } from './look.ts';
import { type Line, span } from './span.ts';

/** What the help shows of a table: a line for each row, more where it is too long for `columns`. */
export function helpLines(
  table: readonly KeyHint[],
  columns: number,
  { glyphs }: Pick<Look, 'glyphs'>,
): readonly Line[] {
  const hints = helpKeys(table);
  const width = Math.max(...hints.map(({ keys }) => cellWidth(spelled(keys, glyphs))));
  const room = columns - width - 4;
  // Where the sentence has no room beside the keys, it stands below them.
  const isBelow = room < 10;
  const indent = ' '.repeat(isBelow ? 4 : width + 4);
  return hints.flatMap((hint) => {
    const keys = spelled(hint.keys, glyphs);
    const texts = wrap(spelled(hint.does, glyphs), isBelow ? Math.max(1, columns - 4) : room);
    const [first = '', ...rest] = isBelow ? ['', ...texts] : texts;
    const lead = ' '.repeat(isBelow ? 2 : 2 + width - cellWidth(keys));
    const head: Line = [
      span(lead),
      span(keys, 'key', true),
      span(first === '' ? '' : `  ${first}`),
    ];
    return [head, ...rest.map((line): Line => [span(indent + line)])];
  });
}

/** As many lines as there are rows, from one of them on; the last lines fill the page. */
export function scrolled(lines: readonly Line[], first: number, rows: number): readonly Line[] {
  const from = Math.min(first, Math.max(0, lines.length - rows));
  return lines.slice(from, from + rows);
}

/** The first line that `scrolled` shows after a step, held at both ends. */
export function scrolledBy(first: number, step: number, total: number, rows: number): number {
  return moveCursor(first, step, Math.max(1, total - rows + 1));
}

/** Which of all lines `scrolled` shows: `1-4 of 9`; `''` for all. */
export function scrolledRange(total: number, first: number, rows: number): string {
  if (total <= rows) return '';
  const from = Math.min(first, total - rows);
  return `${figure(from + 1)}-${figure(from + rows)} of ${figure(total)}`;
}

/**
 * Lines in the place of a question: if there are more than rows, the last row says how many are hidden, and the keys.
 *
 * @param keys those that scroll, as the help shows them
 */
export function scrolledText(
  lines: readonly Line[],
  first: number,
  rows: number,
  keys: string,
  { glyphs }: Pick<Look, 'glyphs'>,
): readonly Line[] {
  if (lines.length <= rows || rows < 2) return lines.slice(0, Math.max(0, rows));
  const shown = scrolled(lines, first, rows - 1);
  const range = scrolledRange(lines.length, first, rows - 1);
  return [...shown, [span(spelled(`… ${range} lines, ${keys} scroll`, glyphs), 'dim')]];
}
