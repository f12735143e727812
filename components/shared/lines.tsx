import { cellWidth, cut } from '../../src/screen/cells.ts';
import { helpKeys, type KeyHint, spelled } from '../../src/screen/key-table.ts';
import { type Line, span } from '../../src/screen/span.ts';
import { useLook } from './look-context.tsx';
import { Row } from './row.tsx';

interface LinesProps {
  readonly lines: readonly Line[];
  /** The most that are drawn. */
  readonly rows: number;
  /** The line that the cursor is on, and how wide it is drawn. */
  readonly cursor?: number;
  readonly columns?: number;
}

/** Lines one below the other. */
export function Lines({ lines, rows, cursor, columns = 0 }: LinesProps) {
  return lines.slice(0, Math.max(0, rows)).map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line of the screen is its place
    <Row key={at} line={line} selected={at === cursor} columns={columns} />
  ));
}

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
  const shown = helpKeys(hints).map(({ keys, does }) => ({
    ...{ keys: spelled(keys, glyphs), does: spelled(does, glyphs) },
  }));
  const width = Math.max(0, ...shown.map(({ keys }) => cellWidth(keys)));
  return shown
    .slice(first, first + rows)
    .map(({ keys, does }) => (
      <Row
        key={keys}
        line={[
          span(`  ${' '.repeat(width - cellWidth(keys))}`),
          span(keys, 'key', true),
          span(`  ${cut(does, Math.max(0, columns - width - 4), glyphs.ellipsis)}`),
        ]}
      />
    ));
}
