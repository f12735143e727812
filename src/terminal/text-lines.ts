import { harmless } from '../core/shown-text.ts';
import { fill, wrap } from './cells.ts';
import { type Line, span, type Tone } from './span.ts';

/** A text as lines of one tone, broken at `columns` and where it has line ends, each as far to the right as it begins. */
export function textLines(
  text: string,
  columns: number,
  tone: Tone = 'plain',
  bold = false,
): readonly Line[] {
  return text.split('\n').flatMap((paragraph) => {
    const words = paragraph.trimStart();
    const indent = Math.min(paragraph.length - words.length, Math.max(0, Math.floor(columns / 2)));
    const lines = wrap(harmless(words), columns - indent);
    return lines.map((line): Line => [span(' '.repeat(indent) + line, tone, bold)]);
  });
}

/** A value behind its label in a column of `width`, in as many lines as it takes, one below the other. */
export function labelled(
  label: string,
  value: string,
  width: number,
  columns: number,
  tone: Tone = 'plain',
): readonly Line[] {
  const lines = wrap(harmless(value), Math.max(10, columns - width));
  return lines.map((text, at): Line => {
    return [span(fill(at === 0 ? harmless(label) : '', width), 'dim'), span(text, tone)];
  });
}
