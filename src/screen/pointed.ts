import type { Glyphs } from './look.ts';
import { type Line, span } from './span.ts';

/** How many columns `pointed` puts before a line. */
export const POINTER_COLUMNS = 2;

/** A line of a list with the place of the pointer before it, which stands on the line with the cursor. */
export function pointed(line: Line, selected: boolean, { pointer }: Pick<Glyphs, 'pointer'>): Line {
  return [span(selected ? `${pointer} ` : ' '.repeat(POINTER_COLUMNS), 'accent'), ...line];
}
