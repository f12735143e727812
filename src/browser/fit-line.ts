import { cellWidth, cut } from '../screen/cells.ts';
import type { Line, Span } from '../screen/span.ts';

/** A line cut so that it takes at most `columns`; the same one where it does. */
export function fitLine(line: Line, columns: number, ellipsis: string): Line {
  if (line.reduce((sum, { text }) => sum + cellWidth(text), 0) <= columns) return line;
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
