import { harmless } from '../core/harmless.ts';
import type { Line, Span } from './span.ts';

const RESET = '\x1b[0m';

/** Colours of the sixteen every terminal has, so that they follow the user's own scheme (ECMA-48, SGR). */
const CODES: Readonly<Record<NonNullable<Span['tone']>, string>> = {
  plain: '',
  dim: '2',
  accent: '36',
  good: '32',
  warn: '33',
  bad: '31',
  title: '36;1',
  dir: '34;1',
  bar: '36',
  'bar-old': '33',
  'bar-upload': '31',
  track: '2',
  cursor: '7',
};

/** A line as text for a terminal. Without colour only weight is left. */
export function paint(line: Line, colour: boolean): string {
  return line.map((span) => paintSpan(span, colour)).join('');
}

function paintSpan({ text, tone = 'plain', bold = false }: Span, colour: boolean): string {
  if (text === '') return '';
  const weight = bold || tone === 'title' ? '1' : '';
  const codes = colour && CODES[tone] !== '' ? CODES[tone] : weight;
  const all = colour && bold && !codes.includes('1') ? `${codes};1` : codes;
  const shown = harmless(text);
  return all === '' ? shown : `\x1b[${all}m${shown}${RESET}`;
}
