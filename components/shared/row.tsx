import { Text, type TextProps } from 'ink';
import { memo } from 'react';
import { harmless } from '../../src/core/harmless.ts';
import type { Line, Span } from '../../src/screen/span.ts';
import { useLook } from './look-context.tsx';

type Style = Omit<TextProps, 'children'>;

/** Colours of the sixteen every terminal has, so that they follow the user's own scheme. */
const COLOURS: Readonly<Record<NonNullable<Span['tone']>, Style>> = {
  plain: {},
  dim: { dimColor: true },
  accent: { color: 'cyan' },
  good: { color: 'green' },
  warn: { color: 'yellow' },
  bad: { color: 'red' },
  title: { color: 'cyan', bold: true },
  dir: { color: 'blue', bold: true },
  bar: { color: 'cyan' },
};

interface RowProps {
  readonly line: Line;
  /** The cursor is on it: drawn inverse, over all of its width. */
  readonly selected?: boolean;
}

/** One line of spans, which its maker has cut to the width of the screen. */
export const Row = memo(RowText, isSameRow);

function RowText({ line, selected = false }: RowProps) {
  const { colour } = useLook();
  return (
    <Text wrap="truncate" inverse={selected}>
      {line.map((span, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a span is its place in the line
        <Text key={at} {...styleOf(span, colour && !selected)}>
          {harmless(span.text)}
        </Text>
      ))}
    </Text>
  );
}

/** Each frame has new lines; equal ones need no new layout. */
function isSameRow(before: RowProps, after: RowProps): boolean {
  const { line, selected = false } = after;
  if (before.line === line && (before.selected ?? false) === selected) return true;
  if (before.line.length !== line.length || (before.selected ?? false) !== selected) return false;
  return line.every((span, at) => {
    const old = before.line[at];
    return old?.text === span.text && old.tone === span.tone && old.bold === span.bold;
  });
}

/** How a span is drawn. Without colour the meaning must be in the words; only weight is left. */
function styleOf({ tone = 'plain', bold = false }: Span, colour: boolean): Style {
  const weight = bold || tone === 'title' ? { bold: true } : {};
  return colour ? { ...COLOURS[tone], ...weight } : weight;
}
