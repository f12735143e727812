import { harmless } from '../core/shown-text.ts';
import type { Line } from './span.ts';
import { COLOURS, DEFAULT_THEME, drawnStyle, rgbOf, type Theme } from './theme.ts';

/** A line as text for a terminal, in the codes of ECMA-48 (SGR). Without colour only weight is left, and the cursor. */
export function paint(line: Line, colour: boolean, theme: Theme = DEFAULT_THEME): string {
  const painted = line.map((span) => {
    if (span.text === '') return '';
    const style = drawnStyle(span, colour ? theme : undefined);
    const codes = [
      style.color !== undefined && colourCode(style.color),
      style.dimColor && '2',
      style.underline && '4',
      style.inverse && '7',
      style.bold && '1',
    ].filter(Boolean);
    const shown = harmless(span.text);
    return codes.length === 0 ? shown : `\x1b[${codes.join(';')}m${shown}\x1b[0m`;
  });
  return painted.join('');
}

function colourCode(colour: string): string {
  if (colour.startsWith('#')) return `38;2;${rgbOf(colour).join(';')}`;
  const number = COLOURS.indexOf(colour);
  if (number < 0) return `38;5;${/\d+(?=\))/.exec(colour)?.[0]}`;
  return String(number < 8 ? 30 + number : 82 + number);
}
