import { BUSY, FEW, type LoopTime, WAITS } from './adaptive-width.ts';

/** Parallel directories are counted again after this time, in milliseconds. */
const LOOK_MS = 5;

/**
 * The number of directories walked in parallel. Starts with a few and adds one with each directory that was walked, up to
 * `most`: listed entries wait in memory. Falls back to a few while enough is waiting, and step by step to `least` while
 * the program is busy all the time: entries of one directory are soon garbage, those of several outlive collections and
 * are copied in each.
 */
export class WalkWidth {
  readonly #most: number;
  readonly #few: number;
  readonly #least: 1 | 2;
  readonly #isFull: (() => boolean) | undefined;
  readonly #loop: () => LoopTime;
  #now: number;
  #since: LoopTime;
  /** The share of the time in which the program was busy at the last look. */
  #busy = 0;

  /**
   * @param isFull whether enough is waiting; absent: `most` from the start
   * @param least 2 where a server is asked, so that one listing is under way while another is compared
   */
  constructor(
    most: number,
    isFull: (() => boolean) | undefined,
    least: 1 | 2,
    loop: () => LoopTime = performance.eventLoopUtilization,
  ) {
    this.#most = most;
    this.#few = Math.min(most, FEW);
    this.#least = least;
    this.#isFull = isFull;
    this.#loop = loop;
    this.#now = isFull === undefined ? most : this.#few;
    this.#since = loop();
  }

  /** How many may be walked now. */
  get now(): number {
    return this.#now;
  }

  /** A directory was walked. */
  ended(): void {
    if (this.#isFull === undefined) return;
    const { active, idle } = this.#loop();
    const elapsed = active + idle - this.#since.active - this.#since.idle;
    const isLook = elapsed >= LOOK_MS;
    if (isLook) {
      this.#busy = (active - this.#since.active) / elapsed;
      this.#since = { active, idle };
      if (this.#busy > BUSY) this.#now = Math.min(this.#most, Math.max(this.#least, this.#now - 1));
    }
    if (this.#isFull()) this.#now = Math.min(this.#now, this.#few);
    else if (this.#busy < WAITS) this.#now = Math.min(this.#most, this.#now + 1);
  }
}
