import { constants } from 'node:os';
import type { ProcessEnd } from './process-starter.ts';

/** Collects a child that has ended, without waiting: its number and its status, `undefined` where there is none. */
export type CollectChild = () => { readonly pid: number; readonly status: number } | undefined;

/** Children that are not ours, as the first process of a container has them, must not fill the memory. */
const MAX_EARLY = 4096;
const SIGNALS = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

/**
 * Tells when children end that Node does not know. All that end are collected, so that as the first process of a
 * container the server leaves no zombies either.
 */
export class ChildReaper {
  readonly #collect: CollectChild;
  readonly #waiting = new Map<number, (end: ProcessEnd) => void>();
  /** Those that ended before their start was told. */
  readonly #early = new Map<number, ProcessEnd>();
  #starting = 0;

  constructor(collect: CollectChild) {
    this.#collect = collect;
  }

  /** Runs a start, which gives the number of the child, and gives with it the promise of its end. */
  async watch(start: () => Promise<number>): Promise<{ pid: number; ended: Promise<ProcessEnd> }> {
    this.#starting++;
    try {
      const pid = await start();
      const early = this.#early.get(pid);
      this.#early.delete(pid);
      const ended =
        early === undefined
          ? new Promise<ProcessEnd>((resolve) => void this.#waiting.set(pid, resolve))
          : Promise.resolve(early);
      return { pid, ended };
    } finally {
      this.#starting--;
      if (this.#starting === 0) this.#early.clear();
    }
  }

  /** Collects all children that have ended: to be called on every SIGCHLD. */
  reap(): void {
    for (let child = this.#collect(); child !== undefined; child = this.#collect()) {
      const end = processEnd(child.status);
      const tell = this.#waiting.get(child.pid);
      this.#waiting.delete(child.pid);
      if (tell !== undefined) tell(end);
      else if (this.#starting > 0) this.#keepEarly(child.pid, end);
    }
  }

  #keepEarly(pid: number, end: ProcessEnd): void {
    const [oldest] = this.#early.keys();
    if (oldest !== undefined && this.#early.size >= MAX_EARLY) this.#early.delete(oldest);
    this.#early.set(pid, end);
  }
}

/** The meaning of a status as `wait` gives it. */
function processEnd(status: number): ProcessEnd {
  const signal = status & 0x7f;
  if (signal === 0) return { code: (status >> 8) & 0xff, signal: null };
  return { code: null, signal: SIGNALS.get(signal) ?? (`SIG${signal}` as NodeJS.Signals) };
}
