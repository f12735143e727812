import { wrap } from '../../src/screen/cells.ts';
import { type Line, span, type Tone } from '../../src/screen/span.ts';
import { Row } from './row.tsx';

interface ParagraphProps {
  readonly text: string;
  readonly columns: number;
  readonly tone?: Tone;
}

/** A text over as many lines as it takes. */
export function Paragraph({ text, columns, tone = 'plain' }: ParagraphProps) {
  return wrap(text, columns).map((line, at) => {
    const spans: Line = [span(line === '' ? ' ' : line, tone)];
    // biome-ignore lint/suspicious/noArrayIndexKey: a line of the screen is its place
    return <Row key={at} line={spans} />;
  });
}
