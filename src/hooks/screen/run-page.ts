import { wrap } from '../../screen/cells.ts';
import { type Line, span } from '../../screen/span.ts';
import { detailLines } from '../report/plain-lines.ts';
import type { HooksState } from './hooks-state.ts';
import { outputLines } from './output-lines.ts';

/** A run: what is known of it, and below what its command writes. The output has at least half of the lines. */
export function runPageLines(
  state: HooksState,
  { columns, rows }: { readonly columns: number; readonly rows: number },
  nowMs: number,
): Line[] {
  const { open } = state;
  const run = state.runs.find(({ id }) => id === open?.id);
  if (open === undefined || run === undefined)
    return [[span('  This run is no longer kept.', 'dim')]];
  const facts = detailLines({ run }, nowMs).flatMap((line) => wrap(line, columns));
  const output = outputLines(open.output, columns);
  const most = output.length === 0 ? rows : Math.max(1, Math.floor(rows / 2) - 1);
  const head: Line[] = facts.slice(0, most).map((line) => [span(line, 'dim')]);
  if (output.length === 0) return head;
  const room = Math.max(1, rows - head.length - 1);
  const last = Math.max(0, output.length - room);
  const first = open.top === 'end' ? last : Math.min(open.top, last);
  const shown = output.slice(first, first + room).map((line): Line => [span(line)]);
  const place = `output, ${output.length} lines${open.top === 'end' ? ', following' : ''}`;
  return [...head, [span(place, 'title')], ...shown];
}
