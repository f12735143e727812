import { harmless } from '../../core/harmless.ts';
import type { Tone } from '../../terminal/span.ts';
import { took } from '../../terminal/time-texts.ts';
import type { RunRecord } from '../run/run-record.ts';

/** How a run stands, in a word, and in which tone. */
export function stateWord({ state }: Pick<RunRecord, 'state'>): readonly [string, Tone] {
  switch (state) {
    case 'running':
      return ['running', 'accent'];
    case 'waiting':
      return ['waiting', 'dim'];
    case 'done':
      return ['done', 'good'];
    case 'failed':
      return ['failed', 'bad'];
    case 'refused':
      return ['refused', 'warn'];
    case 'dropped':
      return ['dropped', 'warn'];
    case 'replaced':
      return ['replaced', 'dim'];
  }
}

/** How long a run took, or takes already; empty for what never ran. */
export function tookText({ startedMs, endedMs }: RunRecord, nowMs: number): string {
  if (startedMs === undefined) return '';
  return took(Math.max(0, (endedMs ?? nowMs) - startedMs));
}

/** Columns as wide as they need be, the last one as it is. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map((row) => row.map(harmless));
  const columns = shown[0]?.length ?? 0;
  const widths = Array.from({ length: columns - 1 }, (_, column) =>
    Math.max(...shown.map((row) => row[column]?.length ?? 0)),
  );
  return shown.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
