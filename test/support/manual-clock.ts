import { type Clock, systemClock } from '../../src/core/context.ts';

/** A clock that stands until it is told to go on. */
export class ManualClock implements Clock {
  #now = 0;
  #sleepers: { readonly until: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  /** How many are sleeping. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#sleepers = this.#sleepers.filter((each) => each !== sleeper);
        reject(signal?.reason);
      };
      const wake = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const sleeper = { until: this.#now + ms, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Lets `ms` pass for a process that stands still: no sleeper is woken before `advance`. */
  jump(ms: number): void {
    this.#now += ms;
  }

  /** Lets `ms` pass, waking each sleeper at its time, and what they do then happen. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const [next] = this.#sleepers
        .filter((each) => each.until <= end)
        .sort((a, b) => a.until - b.until);
      if (next === undefined) break;
      this.#now = next.until;
      this.#sleepers = this.#sleepers.filter((each) => each !== next);
      next.wake();
      await settle();
    }
    this.#now = end;
  }
}

/** Resolves when all promises that could go on have done so. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The system's clock, with the time of Vitest's fake timers while a test uses them. */
export const fakedClock: Clock = {
  ...systemClock,
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
