import type { Line } from '../../src/screen/span.ts';
import { Row } from '../shared/row.tsx';

/** Lines one below the other, at most `rows` of them. */
export function Lines({ lines, rows }: { lines: readonly Line[]; rows: number }) {
  return lines.slice(0, Math.max(0, rows)).map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a line of the screen is its place
    <Row key={at} line={line} />
  ));
}
