import type { Tone } from '../../screen/span.ts';
import { took } from '../../screen/took.ts';
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

/** How long ago something was: `now`, `5 min ago`. */
export function agoText(ms: number): string {
  let count = Math.max(0, Math.round(ms / 1000));
  if (count < 2) return 'now';
  for (const [next, unit] of [
    [60, 's'],
    [60, 'min'],
    [24, 'h'],
  ] as const) {
    if (count < next) return `${count} ${unit} ago`;
    count = Math.floor(count / next);
  }
  return `${count} d ago`;
}
