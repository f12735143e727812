import { Text } from 'ink';
import { memo } from 'react';
import { harmless } from '../../src/core/shown-text.ts';
import { cellWidth } from '../../src/terminal/cells.ts';
import { caretColumn, type Line, span } from '../../src/terminal/span.ts';
import { DEFAULT_THEME, drawnStyle, type Style, type Theme } from '../../src/terminal/theme.ts';
import { CaretLine } from './caret.tsx';
import { useLook } from './screen.tsx';

interface RowProps {
  /** Cut to the width of the screen; an empty one is a blank row. */
  readonly line: Line;
  /** The cursor is on it: drawn as `cursor`, by default inverse. */
  readonly selected?: boolean;
  /** How wide it is drawn if it is selected. */
  readonly columns?: number;
}

/** One line of spans. Each frame has new lines; equal ones need no new layout. */
export const Row = memo(RowText, (before, { line, selected = false, columns }) => {
  if ((before.selected ?? false) !== selected || before.columns !== columns) return false;
  if (before.line === line) return true;
  if (before.line.length !== line.length) return false;
  return line.every((span, at) => {
    const old = before.line[at];
    const isSame = old?.text === span.text && old.tone === span.tone && old.bold === span.bold;
    return isSame && old.isCaret === span.isCaret;
  });
});

function RowText({ line, selected = false, columns = 0 }: RowProps) {
  const { colour, theme = DEFAULT_THEME } = useLook();
  const width = selected ? line.reduce((sum, { text }) => sum + cellWidth(harmless(text)), 0) : 0;
  const rest = span(' '.repeat(selected ? Math.max(0, columns - width) : 0));
  const pieces = piecesOf([...line, rest], selected, colour ? theme : undefined);
  const caret = caretColumn(line, (text) => cellWidth(harmless(text)));
  const text = (
    <Text wrap="truncate">
      {pieces.length === 0
        ? ' '
        : pieces.map(({ text, style }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a piece is its place in the line
            <Text key={at} {...style}>
              {text}
            </Text>
          ))}
    </Text>
  );
  return caret === undefined ? text : <CaretLine column={caret}>{text}</CaretLine>;
}

/** The spans with those that look the same put together: each text of its own costs Ink time in every frame. */
function piecesOf(line: Line, selected: boolean, theme: Theme | undefined) {
  const pieces: { text: string; readonly style: Style }[] = [];
  for (const one of line) {
    if (one.text === '') continue;
    const isCursor = one.tone === 'cursor' || selected;
    const drawn = drawnStyle(one, theme, isCursor);
    const style = isSeen(one.text, drawn) ? drawn : PLAIN;
    const last = pieces.at(-1);
    const text = harmless(one.text);
    if (last !== undefined && isSameStyle(last.style, style, text)) last.text += text;
    else pieces.push({ text, style });
  }
  return pieces;
}

const PLAIN: Style = {};

/** Whether the style shows: blanks have no colour of their own. */
function isSeen(text: string, { inverse, underline }: Style): boolean {
  return inverse === true || underline === true || text.trim() !== '';
}

function isSameStyle(before: Style, style: Style, text: string): boolean {
  if (!isSeen(text, style) && !isSeen(text, before)) return true;
  return (Object.keys({ ...before, ...style }) as (keyof Style)[]).every(
    (name) => before[name] === style[name],
  );
}
