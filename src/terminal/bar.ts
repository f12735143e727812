import type { Glyphs } from './look.ts';
import { type Line, type Span, span, type Tone } from './span.ts';

/** A share of a whole (0 to 1) as a bar of `width` columns; what is left of it is its track. */
export function bar(
  share: number,
  width: number,
  glyphs: Pick<Glyphs, 'bar' | 'track'>,
): readonly [full: Span, track: Span] {
  const [full, rest] = block(share, width, glyphs);
  return [full, { ...rest, text: glyphs.track.repeat(rest.text.length) }];
}

/** A share as a bar over all columns, with its percentage behind it; `undefined` while it is not known. */
export function shareLine(
  share: number | undefined,
  columns: number,
  glyphs: Pick<Glyphs, 'bar' | 'track'>,
): Line {
  const percent = share === undefined ? '-' : `${Math.floor(Math.min(1, share) * 100)}%`;
  return [
    ...bar(share ?? 0, Math.max(1, columns - 6), glyphs),
    span(percent.padStart(5), 'plain', true),
  ];
}

/** A size beside the largest one as a bar in a tone; what is left of it is blank. */
export function block(
  share: number,
  width: number,
  { bar: parts }: Pick<Glyphs, 'bar'>,
  tone: Tone = 'bar',
): readonly [full: Span, blank: Span] {
  const steps = parts.length - 1;
  const filled = Math.round(Math.max(0, Math.min(1, share || 0)) * width * steps);
  const whole = Math.floor(filled / steps);
  const rest = filled - whole * steps;
  const full = (parts[steps] ?? '').repeat(whole) + (rest > 0 ? (parts[rest] ?? '') : '');
  const blank = ' '.repeat(Math.max(0, width - whole - (rest > 0 ? 1 : 0)));
  return [span(full, tone), span(blank, 'track')];
}

/** The last `width` figures as heights, the highest of them as the full one; nothing at all is the lowest. */
export function spark(
  figures: readonly number[],
  width: number,
  { spark: heights }: Pick<Glyphs, 'spark'>,
): string {
  const shown = width <= 0 ? [] : figures.slice(-width);
  const most = Math.max(0, ...shown);
  const top = heights.length - 1;
  return shown
    .map((figure) => heights[most === 0 ? 0 : Math.round((Math.max(0, figure) / most) * top)])
    .join('');
}
