import type { RunState } from './run-ledger.ts';

/** Upper bounds of the classes of durations, in seconds. */
export const DURATION_BOUNDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1800] as const;

/** What is counted of one hook. */
export interface HookCount {
  /** Answers by status. */
  readonly answers: Map<number, number>;
  /** Runs by how they ended. */
  readonly ended: Map<RunState, number>;
  /** How many lie in each class of `DURATION_BOUNDS`, as Prometheus counts them; the last is for longer ones. */
  readonly durations: { readonly classes: number[]; sum: number };
  running: number;
  waiting: number;
}

/** Counts requests and runs by hook. Requests for hooks that do not exist count for the hook "". */
export class HookCounters {
  /** By hook. */
  readonly hooks = new Map<string, HookCount>();

  /** Counts an answer. */
  answered(hook: string, status: number): void {
    const { answers } = this.#of(hook);
    answers.set(status, (answers.get(status) ?? 0) + 1);
  }

  /** Counts a run that goes from one state into another; `undefined` where it was nothing before. */
  moved(hook: string, from: RunState | undefined, to: RunState, tookMs?: number): void {
    const count = this.#of(hook);
    if (from === 'running' || from === 'waiting') count[from]--;
    if (to === 'running' || to === 'waiting') {
      count[to]++;
      return;
    }
    count.ended.set(to, (count.ended.get(to) ?? 0) + 1);
    if (tookMs === undefined) return;
    const seconds = tookMs / 1000;
    const found = DURATION_BOUNDS.findIndex((bound) => seconds <= bound);
    const { classes } = count.durations;
    const at = found < 0 ? DURATION_BOUNDS.length : found;
    classes[at] = (classes[at] ?? 0) + 1;
    count.durations.sum += seconds;
  }

  #of(hook: string): HookCount {
    let count = this.hooks.get(hook);
    if (count === undefined) {
      const classes = Array.from({ length: DURATION_BOUNDS.length + 1 }, () => 0);
      const durations = { classes, sum: 0 };
      count = { answers: new Map(), ended: new Map(), durations, running: 0, waiting: 0 };
      this.hooks.set(hook, count);
    }
    return count;
  }
}
