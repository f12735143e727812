import { harmless } from '../core/harmless.ts';
import type { Line, Span } from './span.ts';
import { COLOURS, DEFAULT_THEME, drawnStyle, rgbOf, type Style, type Theme } from './theme.ts';

const RESET = '\x1b[0m';

/** A line as text for a terminal. Without colour only weight is left, and the cursor. */
export function paint(line: Line, colour: boolean, theme: Theme = DEFAULT_THEME): string {
  return line.map((span) => paintSpan(span, colour ? theme : undefined)).join('');
}

function paintSpan(span: Span, theme: Theme | undefined): string {
  if (span.text === '') return '';
  const codes = codesOf(drawnStyle(span, theme));
  const shown = harmless(span.text);
  return codes === '' ? shown : `\x1b[${codes}m${shown}${RESET}`;
}

/** A style in the codes of ECMA-48 (SGR). */
function codesOf({ color, bold, dimColor, underline, inverse }: Style): string {
  const codes: (string | false | undefined)[] = [
    color !== undefined && colourCode(color),
    dimColor && '2',
    underline && '4',
    inverse && '7',
    bold && '1',
  ];
  return codes.filter(Boolean).join(';');
}

function colourCode(colour: string): string {
  if (colour.startsWith('#')) return `38;2;${rgbOf(colour).join(';')}`;
  const number = COLOURS.indexOf(colour);
  if (number < 0) return `38;5;${/\d+(?=\))/.exec(colour)?.[0]}`;
  return String(number < 8 ? 30 + number : 82 + number);
}
