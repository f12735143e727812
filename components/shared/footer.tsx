import { cellWidth } from '../../src/screen/cells.ts';
import { footerKeys, type KeyHint, spelled } from '../../src/screen/key-table.ts';
import type { Glyphs } from '../../src/screen/look.ts';
import { type Line, span } from '../../src/screen/span.ts';
import { useLook } from './look-context.tsx';
import { Row } from './row.tsx';

interface FooterProps {
  /** The keys that work now, the most important first. */
  readonly hints: readonly KeyHint[];
  readonly columns: number;
}

/** The last line of every screen: the keys that work now, as many as fit; `?` shows all of them. */
export function Footer({ hints, columns }: FooterProps) {
  const { glyphs } = useLook();
  return <Row line={footerLine(hints, columns, glyphs)} />;
}

/** The hints in one line of at most `columns`; a hint is there whole or not at all. */
export function footerLine(hints: readonly KeyHint[], columns: number, glyphs: Glyphs): Line {
  const separator = ` ${glyphs.separator} `;
  const line: Line[number][] = [];
  let left = columns;
  for (const { keys: all, does } of footerKeys(hints)) {
    const keys = spelled(all, glyphs);
    const gap = line.length === 0 ? '' : separator;
    const width = cellWidth(gap) + cellWidth(keys) + 1 + cellWidth(does);
    if (width > left) continue;
    left -= width;
    line.push(span(gap, 'dim'), span(keys, 'key', true), span(` ${does}`, 'dim'));
  }
  return line;
}
