import type { Line } from '../../src/terminal/span.ts';
import { Row } from '../ui/row.tsx';

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
