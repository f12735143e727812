import { cellWidth, cut } from '../../src/screen/cells.ts';
import { type KeyHint, keyText, spelled } from '../../src/screen/key-table.ts';
import { span } from '../../src/screen/span.ts';
import { useLook } from './look-context.tsx';
import { Row } from './row.tsx';

interface KeyHelpProps {
  readonly hints: readonly KeyHint[];
  /** The first line shown. */
  readonly first: number;
  readonly columns: number;
  readonly rows: number;
}

/** All keys of a screen, one a line: what `?` shows. */
export function KeyHelp({ hints, first, columns, rows }: KeyHelpProps) {
  const { glyphs } = useLook();
  const width = Math.max(0, ...hints.map((hint) => cellWidth(keyText(hint, glyphs))));
  return hints
    .slice(first, first + rows)
    .map((hint) => ({ keys: keyText(hint, glyphs), does: spelled(hint.more ?? hint.does, glyphs) }))
    .map(({ keys, does }) => (
      <Row
        key={keys}
        line={[
          span(`  ${' '.repeat(width - cellWidth(keys))}`),
          span(keys, 'accent', true),
          span(`  ${cut(does, Math.max(0, columns - width - 4), glyphs.ellipsis)}`),
        ]}
      />
    ));
}
