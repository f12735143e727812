import { Text } from 'ink';
import { memo } from 'react';
import { harmless } from '../../src/core/harmless.ts';
import { cellWidth } from '../../src/terminal/cells.ts';
import { type Line, type Span, span } from '../../src/terminal/span.ts';
import { DEFAULT_THEME, type Style, styleOf, type Theme } from '../../src/terminal/theme.ts';
import { useLook } from './look-context.tsx';

/** They look the same on the cursor's line. */
const BAR_TONES = new Set<Span['tone']>(['bar', 'bar-old', 'bar-upload', 'track']);

interface RowProps {
  readonly line: Line;
  /** The cursor is on it: drawn as `cursor`, by default inverse, but for its bar. */
  readonly selected?: boolean;
  /** How wide it is drawn if it is selected. */
  readonly columns?: number;
}

/** One line of spans, which its maker has cut to the width of the screen. */
export const Row = memo(RowText, isSameRow);

function RowText({ line, selected = false, columns = 0 }: RowProps) {
  const { colour, theme = DEFAULT_THEME } = useLook();
  const width = selected ? line.reduce((sum, { text }) => sum + cellWidth(harmless(text)), 0) : 0;
  const rest = selected ? Math.max(0, columns - width) : 0;
  const spans = rest > 0 ? [...line, span(' '.repeat(rest))] : line;
  return (
    <Text wrap="truncate">
      {spans.map((one, at) => {
        const isCursor = one.tone === 'cursor' || (selected && !BAR_TONES.has(one.tone));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a span is its place in the line
          <Text key={at} {...drawnAs(one, isCursor, colour ? theme : undefined)}>
            {harmless(one.text)}
          </Text>
        );
      })}
    </Text>
  );
}

/** Each frame has new lines; equal ones need no new layout. */
function isSameRow(before: RowProps, after: RowProps): boolean {
  const { line, selected = false, columns } = after;
  if ((before.selected ?? false) !== selected || before.columns !== columns) return false;
  if (before.line === line) return true;
  if (before.line.length !== line.length) return false;
  return line.every((span, at) => {
    const old = before.line[at];
    return old?.text === span.text && old.tone === span.tone && old.bold === span.bold;
  });
}

/** How a span is drawn. Without colour the meaning must be in the words; only weight is left, and the cursor. */
function drawnAs(one: Span, isCursor: boolean, theme: Theme | undefined): Style {
  if (theme !== undefined && !isCursor) return styleOf(one, theme);
  const isHeading = one.tone === 'title' || one.tone === 'section';
  const weight = one.bold === true || isHeading ? { bold: true } : {};
  return isCursor ? { ...(theme?.cursor ?? { inverse: true }), ...weight } : weight;
}
