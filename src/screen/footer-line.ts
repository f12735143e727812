import { fitParts } from './fit-parts.ts';
import { footerKeys, type KeyHint, spelled } from './key-table.ts';
import type { Glyphs } from './look.ts';
import { type Line, span } from './span.ts';

/** The hints in one line of at most `columns`, the first ones first; a hint is there whole or not at all. */
export function footerLine(hints: readonly KeyHint[], columns: number, glyphs: Glyphs): Line {
  const parts = footerKeys(hints).map(({ keys, does }, rank) => ({
    rank,
    spans: [span(spelled(keys, glyphs), 'key', true), span(` ${does}`, 'dim')],
  }));
  return fitParts(parts, columns, ` ${glyphs.separator} `);
}
