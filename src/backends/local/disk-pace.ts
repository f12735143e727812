/** Calls that take longer than this are better made in other threads, which costs 0.02 to 0.06, in milliseconds. */
const SLOW_MS = 0.15;
/** After so much work it is known whether the disk is slow. */
const WINDOW = 16;
/** If it takes that long, in milliseconds, less is enough: nothing else runs in that time. */
const LONGEST_MS = 25;
const LEAST = 4;
/** How many calls other threads make before some are made here again, to find out whether they are still slow. */
const TRIAL_AFTER = 8192;

/**
 * Whether a disk keeps its callers waiting: one in the network, a cold or a spinning one. Calls that the system answers
 * from memory take microseconds, and are best made here, one after the other; slow ones are made by the threads of the
 * process, several at the same time.
 *
 * Most of the work must be slow, and not its average: where the processor is shared, a little of it takes long.
 */
export class DiskPace {
  readonly #clock: { monotonic(): number };
  #done = 0;
  #slow = 0;
  #ms = 0;
  #window = WINDOW;
  #inThreads = 0;
  #isSlow = false;
  #isKnown = false;

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  /** Whether calls are better made in other threads. */
  get isSlow(): boolean {
    return this.#isSlow;
  }

  /** Whether calls were not slow lately: longer pieces of work are then no risk. */
  get isFast(): boolean {
    return this.#isKnown && !this.isSlow;
  }

  /** Notes work done here: how many calls it was, and how long they took together, in milliseconds. */
  note(calls: number, ms: number): void {
    if (calls === 0) return;
    this.#done++;
    this.#ms += ms;
    if (ms > calls * SLOW_MS) this.#slow++;
    const isEnough = this.#ms >= LONGEST_MS && this.#done >= LEAST;
    if (this.#done < this.#window && !isEnough) return;
    this.#isSlow = this.#slow * 2 > this.#done;
    this.#isKnown = true;
    this.#window = WINDOW;
    this.#done = 0;
    this.#slow = 0;
    this.#ms = 0;
  }

  /** Notes calls made in other threads. */
  noteInThreads(calls: number): void {
    if (!this.#isSlow) return;
    this.#inThreads += calls;
    if (this.#inThreads < TRIAL_AFTER) return;
    this.#inThreads = 0;
    this.#isSlow = false;
    this.#isKnown = false;
    this.#window = LEAST;
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

  /** Does work of this many calls here or, if the disk is slow, in another thread. */
  run<T>(calls: number, here: () => T, inThread: () => Promise<T>): T | Promise<T> {
    if (!this.isSlow) return this.here(calls, here);
    this.noteInThreads(calls);
    return inThread();
  }
}
