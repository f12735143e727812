import { cellWidth, wrap } from './cells.ts';
import { helpKeys, type KeyHint, spelled } from './key-table.ts';
import type { Look } from './look.ts';
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
