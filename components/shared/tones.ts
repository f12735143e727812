import type { TextProps } from 'ink';
import type { Span } from '../../src/screen/span.ts';

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

/** How a span is drawn. Without colour the meaning must be in the words; only weight is left. */
export function styleOf({ tone = 'plain', bold = false }: Span, colour: boolean): Style {
  const weight = bold || tone === 'title' ? { bold: true } : {};
  return colour ? { ...COLOURS[tone], ...weight } : weight;
}
