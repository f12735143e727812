/** Calls that take longer than this on average are better made in other threads, which costs 0.02 to 0.06, in milliseconds. */
const SLOW_MS = 0.15;

/** After this many calls it is known whether the disk is slow. */
const WINDOW = 128;

/** Waiting that long for fewer calls is known to be slow, too, in milliseconds: nothing else runs in that time. */
const LONGEST_MS = 25;

/** How many calls other threads make before some are made here again, to find out whether they are still slow. */
const TRIAL_AFTER = 2048;

/** How many those are. */
const TRIAL = 8;

/**
 * Whether a disk keeps its callers waiting: one in the network, a cold or a spinning one. Calls that the system answers
 * from memory take microseconds, and are best made here, one after the other; slow ones are made by the threads of the
 * process, several at the same time.
 */
export class DiskPace {
  readonly #clock: { monotonic(): number };
  #calls = 0;
  #ms = 0;
  #window = WINDOW;
  #aside = 0;
  #isSlow = false;

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  /** Whether calls are better made in other threads; by `aside`. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** Notes calls made here, and how long they took together, in milliseconds. */
  note(calls: number, ms: number): void {
    this.#calls += calls;
    this.#ms += ms;
    if (this.#calls < this.#window && this.#ms < LONGEST_MS) return;
    this.#isSlow = this.#ms > this.#calls * SLOW_MS;
    this.#window = WINDOW;
    this.#calls = 0;
    this.#ms = 0;
  }

  /** Notes calls made in other threads. */
  noteAside(calls: number): void {
    if (!this.#isSlow) return;
    this.#aside += calls;
    if (this.#aside < TRIAL_AFTER) return;
    this.#aside = 0;
    this.#isSlow = false;
    this.#window = TRIAL;
  }

  /** Does work of this many calls, and notes how long it takes. */
  here<T>(calls: number, work: () => T): T {
    const since = this.#clock.monotonic();
    try {
      return work();
    } finally {
      this.note(calls, this.#clock.monotonic() - since);
    }
  }

  /** Does work of this many calls here or, if the disk is slow, `aside`. */
  run<T>(calls: number, here: () => T, aside: () => Promise<T>): T | Promise<T> {
    if (!this.isSlow) return this.here(calls, here);
    this.noteAside(calls);
    return aside();
  }
}
