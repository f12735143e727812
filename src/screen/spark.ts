import type { Glyphs } from './look.ts';

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
