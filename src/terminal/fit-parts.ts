import { cellWidth, lineWidth } from './cells.ts';
import type { Glyphs } from './look.ts';
import { type Line, type Span, span } from './span.ts';

/** A piece of a line that may be left out. */
export interface LinePart {
  readonly spans: readonly Span[];
  /** Those with the lowest rank stay longest where there is little room. */
  readonly rank: number;
}

/** A part of one span. */
export function part(
  rank: number,
  text: string,
  tone: Span['tone'] = 'plain',
  bold = false,
): LinePart {
  return { rank, spans: [span(text, tone, bold)] };
}

/** The parts in their order with `gap` between them, as many as fit into `columns`; a part is there whole or not. */
export function fitParts(parts: readonly LinePart[], columns: number, gap: string): Line {
  const shown = parts.filter(({ spans }) => spans.some(({ text }) => text !== ''));
  const widths = new Map(shown.map((one) => [one, lineWidth(one.spans)]));
  const gapWidth = cellWidth(gap);
  const kept = new Set<LinePart>();
  let left = columns;
  for (const one of [...shown].sort((a, b) => a.rank - b.rank)) {
    const width = (widths.get(one) ?? 0) + (kept.size === 0 ? 0 : gapWidth);
    if (width > left) continue;
    left -= width;
    kept.add(one);
  }
  const line: Span[] = [];
  for (const one of shown) {
    if (!kept.has(one)) continue;
    if (line.length > 0) line.push(span(gap, 'dim'));
    line.push(...one.spans);
  }
  return line;
}

/** The parts in their order with separators between them, as many as fit into `columns`. */
export function separated(
  columns: number,
  { separator }: Pick<Glyphs, 'separator'>,
  parts: readonly LinePart[],
): Line {
  return fitParts(parts, columns, ` ${separator} `);
}
