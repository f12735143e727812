import { harmless } from '../core/harmless.ts';
import { wrap } from './cells.ts';
import { type Line, span, type Tone } from './span.ts';

/** A text as lines of one tone, broken at `columns` and where it has line ends. */
export function textLines(
  text: string,
  columns: number,
  tone: Tone = 'plain',
  bold = false,
): readonly Line[] {
  const paragraphs = text.split('\n').map(harmless).join('\n');
  return wrap(paragraphs, columns).map((line) => [span(line, tone, bold)]);
}
