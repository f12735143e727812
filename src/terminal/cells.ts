import stringWidth from 'string-width';
import type { Line, Span } from './span.ts';

const graphemes = new Intl.Segmenter();
/** Printable ASCII: every character is one column. */
const NARROW = /^[\x20-\x7e]*$/;

/** How many columns of a terminal the text takes: wide characters two, combining marks none. */
export function cellWidth(text: string): number {
  return NARROW.test(text) ? text.length : stringWidth(text);
}

/** The text cut at the right so that it takes at most `width` columns. `mark` shows that something is missing. */
export function cut(text: string, width: number, mark = '…'): string {
  if (NARROW.test(text) && text.length <= width) return text;
  if (cellWidth(text) <= width) return text;
  const room = width - cellWidth(mark);
  if (room < 0) return mark === '' ? '' : cut(text, width, '');
  return front(text, room) + mark;
}

/** The text cut in its middle, where names differ least. */
export function cutMiddle(text: string, width: number, mark = '…'): string {
  if (cellWidth(text) <= width) return text;
  const room = width - cellWidth(mark);
  if (room < 2) return cut(text, width, mark);
  const head = front(text, Math.ceil(room / 2));
  return head + mark + back(text, room - cellWidth(head));
}

/** The text cut at the left: the end of a path matters most. */
export function cutLeft(text: string, width: number, mark = '…'): string {
  if (cellWidth(text) <= width) return text;
  const room = width - cellWidth(mark);
  return room < 1 ? back(text, width) : mark + back(text, room);
}

/** The text cut or filled with blanks at the right to exactly `width` columns. */
export function fill(text: string, width: number, mark = '…'): string {
  const short = cut(text, width, mark);
  return short + ' '.repeat(Math.max(0, width - cellWidth(short)));
}

/** The text filled with blanks at the left to `width` columns; never cut. */
export function fillLeft(text: string, width: number): string {
  return ' '.repeat(Math.max(0, width - cellWidth(text))) + text;
}

/** How many columns a line takes. */
export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + cellWidth(text), 0);
}

/** A line cut so that it takes at most `columns`; the same one where it does. */
export function fitLine(line: Line, columns: number, ellipsis: string): Line {
  if (lineWidth(line) <= columns) return line;
  const fitted: Span[] = [];
  let room = columns;
  for (const span of line) {
    const text = cut(span.text, room, ellipsis);
    if (text !== '') fitted.push(text === span.text ? span : { ...span, text });
    if (text !== span.text) break;
    room -= cellWidth(text);
  }
  return fitted;
}

/** The text in lines of at most `columns`, of which there is at least one, broken at blanks if there are any. */
export function wrap(text: string, columns: number): string[] {
  const width = Math.max(1, columns);
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (cellWidth(longer) <= width) {
        line = longer;
        continue;
      }
      if (line !== '') lines.push(line);
      line = word;
      while (cellWidth(line) > width) {
        const head = front(line, width) || line.slice(0, 1);
        lines.push(head);
        line = line.slice(head.length);
      }
    }
    lines.push(line);
  }
  return lines;
}

/** A text in pieces of at most `columns`, with all its blanks. */
export function pieces(line: string, columns: number): string[] {
  const parts: string[] = [];
  for (let rest = line; rest !== ''; ) {
    const part = cut(rest, Math.max(2, columns), '') || rest.slice(0, 1);
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts.length === 0 ? [' '] : parts;
}

function front(text: string, width: number): string {
  let taken = '';
  let cells = 0;
  for (const { segment } of graphemes.segment(text)) {
    cells += cellWidth(segment);
    if (cells > width) break;
    taken += segment;
  }
  return taken;
}

function back(text: string, width: number): string {
  const segments = [...graphemes.segment(text)];
  let taken = '';
  let cells = 0;
  for (let at = segments.length - 1; at >= 0; at--) {
    const segment = segments[at]?.segment ?? '';
    cells += cellWidth(segment);
    if (cells > width) break;
    taken = segment + taken;
  }
  return taken;
}

/** The most columns of a room that a cell of a table gets where others would be cut. */
export const mostOf = (room: number): number => Math.max(8, Math.floor(room / 3));

/** The widths of a table's columns: what is left of the room goes to those that would be cut. */
export function columnWidths(table: readonly (readonly Line[])[], room: number): readonly number[] {
  const count = Math.max(...table.map((cells) => cells.length));
  const whole = Array.from({ length: count }, (_, at) =>
    Math.max(...table.map((cells) => lineWidth(cells[at] ?? []))),
  );
  const least = whole.map((width) => Math.min(mostOf(room), width));
  let left = room - least.reduce((sum, width) => sum + (width > 0 ? width + 2 : 0), -2);
  return least.map((width, at) => {
    const more = Math.max(0, Math.min(left, (whole[at] ?? 0) - width));
    left -= more;
    return width + more;
  });
}

/** Cells below each other; the last text of a row is as long as it is, and columns without any text are left out. */
export function inColumns(
  cells: readonly Line[],
  widths: readonly number[],
  ellipsis: string,
): Line {
  const last = cells.findLastIndex((cell) => lineWidth(cell) > 0);
  return cells.flatMap((cell, at) => {
    const width = widths[at] ?? 0;
    if (at >= last) return cell;
    if (width === 0) return [];
    // What differs between paths, and between commands, is at both ends.
    const [only] = cell;
    const shown =
      cell.length === 1 && only !== undefined
        ? [{ ...only, text: cutMiddle(only.text, width, ellipsis) }]
        : fitLine(cell, width, ellipsis);
    return [...shown, { text: ' '.repeat(width - lineWidth(shown) + 2) }];
  });
}
