import { harmless } from '../core/harmless.ts';
import { fill, wrap } from '../screen/cells.ts';
import type { Glyphs } from '../screen/look.ts';
import { type Line, type Span, span, type Tone } from '../screen/span.ts';
import type { ReportedCheck } from './report.ts';

/** The width of the names of checks. */
const NAME = 20;
/** Narrower windows have the text below the name. */
const NARROW = 60;

const TONES: Readonly<Record<ReportedCheck['verdict'], Tone>> = {
  ok: 'good',
  fixed: 'good',
  warning: 'warn',
  failed: 'bad',
  unknown: 'dim',
};

/** The heading of a group. */
export function headingLine(group: string): Line {
  return [span(harmless(group), 'section')];
}

/** A check: its sign, its name, what was found, and in lines of its own the command that fixes it. */
export function checkLines(
  { check, verdict, text, mend }: ReportedCheck,
  columns: number,
  glyphs: Glyphs,
): readonly Line[] {
  const sign = fill(signOf(verdict, glyphs), 3, '');
  const head = [span(`  ${sign}`, TONES[verdict]), span(fill(check, NAME, ''), 'plain')];
  const isNarrow = columns < NARROW || check.length >= NAME;
  const indent = ' '.repeat(isNarrow ? 5 : 5 + NAME);
  const room = Math.max(20, columns - indent.length);
  const lines = wrap(harmless(text), room);
  const first: readonly Span[] = isNarrow
    ? [head[0] as Span, span(check)]
    : [...head, span(lines[0] ?? '')];
  const rest = (isNarrow ? lines : lines.slice(1)).map((line) => [span(`${indent}${line}`)]);
  // A command is one line, so that it can be copied.
  const fixed = mend === undefined ? [] : [[span(`${indent}$ ${harmless(mend)}`, 'accent')]];
  return [first, ...rest, ...fixed];
}

function signOf(verdict: ReportedCheck['verdict'], { tick, cross }: Glyphs): string {
  if (verdict === 'failed') return cross;
  if (verdict === 'warning') return '!';
  return verdict === 'unknown' ? '?' : tick;
}

/** How many checks ended how. */
export function summaryLine(all: readonly ReportedCheck[]): Line {
  const count = (verdict: ReportedCheck['verdict']) =>
    all.filter((one) => one.verdict === verdict).length;
  const [bad, warned, unknown, fixed] = [
    ...[count('failed'), count('warning'), count('unknown'), count('fixed')],
  ] as const;
  const parts = [
    span(`${bad} failed`, bad > 0 ? 'bad' : 'plain'),
    span(`${warned} ${warned === 1 ? 'warning' : 'warnings'}`, warned > 0 ? 'warn' : 'plain'),
    ...(unknown > 0 ? [span(`${unknown} unknown`, 'dim')] : []),
    ...(fixed > 0 ? [span(`${fixed} fixed`, 'good')] : []),
    span(`${count('ok')} ok`, 'good'),
  ];
  return parts.flatMap((part, i) => (i === 0 ? [part] : [span(', '), part]));
}
