import type { Glyphs } from './look.ts';
import { type Span, span, type Tone } from './span.ts';

/** A bar of `width` columns, full up to `share` (0 to 1); what is left of it is its track. */
export function bar(
  share: number,
  width: number,
  { bar: parts }: Pick<Glyphs, 'bar'>,
): readonly [full: Span, track: Span] {
  return barOf(share, width, parts, 'bar');
}

/** A thick bar in a tone; what is left of it is blank. */
export function block(
  share: number,
  width: number,
  { block: parts }: Pick<Glyphs, 'block'>,
  tone: Tone = 'bar',
): readonly [full: Span, blank: Span] {
  return barOf(share, width, parts, tone);
}

function barOf(
  share: number,
  width: number,
  parts: readonly string[],
  tone: Tone,
): readonly [full: Span, track: Span] {
  const steps = parts.length - 1;
  const filled = Math.round(Math.max(0, Math.min(1, share || 0)) * width * steps);
  const whole = Math.floor(filled / steps);
  const rest = filled - whole * steps;
  const full = (parts[steps] ?? '').repeat(whole) + (rest > 0 ? (parts[rest] ?? '') : '');
  const track = (parts[0] ?? ' ').repeat(Math.max(0, width - whole - (rest > 0 ? 1 : 0)));
  return [span(full, tone), span(track, 'track')];
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
