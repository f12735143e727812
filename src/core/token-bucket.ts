import type { Clock } from './context.ts';

/** Limits how much happens in a second: bytes for `--bwlimit`, requests for `--tpslimit`. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #takers = new Takers(() => this.#pause.abort());
  #rate: number;
  #burst: number;
  #tokens: number;
  #filledAt: number;
  #pumping = false;
  #pause = new AbortController();

  /**
   * @param rate tokens a second; Infinity for no limit
   * @param burst the most tokens that gather while none are taken
   * @param empty starts without tokens, so that the very first ones are limited too
   */
  constructor({
    rate,
    burst,
    clock,
    empty = false,
  }: Readonly<{ rate: number; burst: number; clock: Clock; empty?: boolean }>) {
    this.#clock = clock;
    this.#rate = rate;
    this.#burst = burst;
    this.#tokens = empty ? 0 : burst;
    this.#filledAt = clock.monotonic();
  }

  /**
   * Resolves when `amount` tokens may be used, in the order of the calls. An amount above the burst passes too.
   * Rejects with the signal's reason.
   */
  take(amount: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    const taken = this.#takers.wait(amount, signal);
    if (!this.#pumping) void this.#pump();
    return taken;
  }

  /** Changes the limit at once, also for those who wait. Tokens that were gathered stay, up to the new burst. */
  setRate(rate: number, burst: number): void {
    this.#fill();
    this.#rate = rate;
    this.#burst = burst;
    this.#tokens = Math.min(this.#tokens, burst);
    this.#pause.abort();
  }

  /** Discards the tokens that were gathered, as if it started without any now. */
  empty(): void {
    this.#fill();
    this.#tokens = Math.min(this.#tokens, 0);
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    for (let { first } = this.#takers; first !== undefined; first = this.#takers.first) {
      this.#fill();
      const missing = Math.min(first, this.#burst) - this.#tokens;
      if (missing > 0 && this.#rate !== Number.POSITIVE_INFINITY) {
        // Less long where the rate changes or the first in the queue leaves, and never longer than a timer can be.
        this.#pause = new AbortController();
        const { signal } = this.#pause;
        const ms = Math.min(Math.ceil((missing / this.#rate) * 1000), 3_600_000);
        try {
          await this.#clock.sleep(ms, signal);
        } catch (thrown) {
          if (!signal.aborted) throw thrown;
        }
      } else {
        if (this.#rate !== Number.POSITIVE_INFINITY) this.#tokens -= first;
        this.#takers.passFirst();
      }
    }
    this.#pumping = false;
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    const seconds = (now - this.#filledAt) / 1000;
    this.#filledAt = now;
    const gained = this.#rate === Number.POSITIVE_INFINITY ? 0 : seconds * this.#rate;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
  }
}

/** One that waits for an amount. */
interface Taker {
  readonly amount: number;
  readonly pass: () => void;
}

/** Those who wait for a share of something limited, in the order in which they came. */
export class Takers {
  readonly #waiting: Taker[] = [];
  readonly #onLeave: () => void;

  /** @param onLeave called when one has given up waiting */
  constructor(onLeave: () => void = () => {}) {
    this.#onLeave = onLeave;
  }

  /** What the first one wants; `undefined` if there is none. */
  get first(): number | undefined {
    return this.#waiting[0]?.amount;
  }

  /** What all together want. */
  get total(): number {
    return this.#waiting.reduce((sum, { amount }) => sum + amount, 0);
  }

  /** Resolves when `passFirst` was called for it. Rejects with the signal's reason. */
  wait(amount: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(taker), 1);
        this.#onLeave();
        reject(signal.reason);
      };
      const pass = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const taker: Taker = { amount, pass };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(taker);
    });
  }

  /** The first one has what it wants. */
  passFirst(): void {
    this.#waiting.shift()?.pass();
  }
}
