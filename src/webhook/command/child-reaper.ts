import { constants } from 'node:os';
import type { ProcessEnd } from './process-starter.ts';

/** How the ends of children are found out, without waiting. */
export interface ChildCalls {
  /** The number of some child that has ended and was not collected; 0 where there is none. */
  endedChild(): number;
  /** Collects one child and gives its status; `undefined` where it still runs. */
  collect(pid: number): number | undefined;
}

const SIGNALS = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

/**
 * Reports the ends of children that Node does not know, and leaves all others alone. As the first process of a
 * container it collects them too, like any init process.
 */
export class ChildReaper {
  readonly #calls: ChildCalls;
  readonly #isInit: boolean;
  readonly #waiting = new Map<number, (end: ProcessEnd) => void>();
  #starting = 0;

  constructor(calls: ChildCalls, isInit: boolean) {
    this.#calls = calls;
    this.#isInit = isInit;
  }

  /** Runs a start, which gives the number of the child. Gives with it the promise of the child's end. */
  async watch(start: () => Promise<number>): Promise<{ pid: number; ended: Promise<ProcessEnd> }> {
    this.#starting++;
    try {
      const pid = await start();
      const ended = new Promise<ProcessEnd>((resolve) => void this.#waiting.set(pid, resolve));
      // It may have ended before its number was known.
      this.#collect(pid);
      return { pid, ended };
    } finally {
      this.#starting--;
    }
  }

  /** Collects children that have ended: to be called on every SIGCHLD. */
  reap(): void {
    for (let pid = this.#calls.endedChild(); pid !== 0; pid = this.#calls.endedChild()) {
      if (this.#waiting.has(pid)) this.#collect(pid);
      else if (this.#isInit && this.#starting === 0) this.#calls.collect(pid);
      else {
        // It hides the others, and must be left to those who started it.
        for (const own of this.#waiting.keys()) this.#collect(own);
        return;
      }
    }
  }

  #collect(pid: number): void {
    const status = this.#calls.collect(pid);
    if (status === undefined) return;
    this.#waiting.get(pid)?.(processEnd(status));
    this.#waiting.delete(pid);
  }
}

function processEnd(status: number): ProcessEnd {
  const signal = status & 0x7f;
  if (signal === 0) return { code: (status >> 8) & 0xff, signal: null };
  return { code: null, signal: SIGNALS.get(signal) ?? (`SIG${signal}` as NodeJS.Signals) };
}
