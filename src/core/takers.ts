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
