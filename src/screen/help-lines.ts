import { cellWidth, wrap } from './cells.ts';
import { helpKeys, type KeyHint, spelled } from './key-table.ts';
import type { Look } from './look.ts';
import type { FrameLine } from './screen-frame.ts';
import type { Size } from './screen-model.ts';
import { type Line, span } from './span.ts';

/** What the help shows of a table: a line for each row, more where it is too long for `columns`. */
export function helpLines(
  table: readonly KeyHint[],
  columns: number,
  { glyphs }: Pick<Look, 'glyphs'>,
): readonly Line[] {
  const hints = helpKeys(table);
  const width = Math.max(...hints.map(({ keys }) => cellWidth(spelled(keys, glyphs))));
  return hints.flatMap((hint) => {
    const keys = spelled(hint.keys, glyphs);
    const [first = '', ...rest] = wrap(
      spelled(hint.does, glyphs),
      Math.max(10, columns - width - 4),
    );
    const lead = ' '.repeat(2 + width - cellWidth(keys));
    const head: Line = [span(lead), span(keys, 'key', true), span(`  ${first}`)];
    return [head, ...rest.map((line): Line => [span(' '.repeat(width + 4) + line)])];
  });
}

/** The page of all keys, from a line on; the last lines fill the page. */
export function helpPage(
  table: readonly KeyHint[],
  first: number,
  { columns, rows }: Size,
  look: Pick<Look, 'glyphs'>,
): readonly FrameLine[] {
  return scrolled(helpLines(table, columns, look), first, rows).map((line) => ({ line }));
}

/** As many lines as there are rows, from one of them on; the last lines fill the page. */
export function scrolled(lines: readonly Line[], first: number, rows: number): readonly Line[] {
  const from = Math.min(first, Math.max(0, lines.length - rows));
  return lines.slice(from, from + rows);
}
