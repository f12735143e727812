import type { Clock } from '../core/context.ts';

/** A disk that takes longer for a short operation is slow, in milliseconds. */
const SLOW_MS = 5;
/** How long other threads take over then, in milliseconds. */
const REST_MS = 1_000;

/**
 * Runs short operations synchronously, such as a small write to the page cache: another thread costs many times as
 * much. If the disk is slow or busy, other threads take over for a while.
 */
export class QuickDisk {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #restMs: number;
  #slowUntil = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonic'>, restMs = REST_MS) {
    this.#clock = clock;
    this.#restMs = restMs;
  }

  /** Whether a short operation may run on this thread. */
  get isQuick(): boolean {
    return this.#clock.monotonic() >= this.#slowUntil;
  }

  /** Runs it, and measures its time. Throws what `call` throws. */
  run<T>(call: () => T): T {
    const since = this.#clock.monotonic();
    try {
      return call();
    } finally {
      const now = this.#clock.monotonic();
      if (now - since > SLOW_MS) this.#slowUntil = now + this.#restMs;
    }
  }
}
