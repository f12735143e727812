import { separated } from './fit-parts.ts';
import { footerKeys, type KeyHint, NO_KEYS, QUIT_KEYS, spelled } from './key-table.ts';
import type { Glyphs } from './look.ts';
import { type Line, span } from './span.ts';

/**
 * The hints in one line of at most `columns`, in their order; a hint is there whole or not at all. The list of all keys
 * stays longest, then the way out (Esc or `q`, else No), the first hint, and the others from the first to the last.
 */
export function footerLine(hints: readonly KeyHint[], columns: number, glyphs: Glyphs): Line {
  const shown = footerKeys(hints);
  const wayOut =
    shown.find(({ keys }) => QUIT_KEYS.includes(keys)) ??
    shown.find(({ keys }) => NO_KEYS.includes(keys));
  const kept = [shown.find(({ keys }) => keys === '?'), wayOut, shown[0]];
  const parts = shown.map((hint, at) => {
    const place = kept.indexOf(hint);
    return {
      rank: place < 0 ? kept.length + at : place,
      spans: [span(spelled(hint.keys, glyphs), 'key', true), span(` ${hint.does}`, 'dim')],
    };
  });
  return separated(columns, glyphs, parts);
}
