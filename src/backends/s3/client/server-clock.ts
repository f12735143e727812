import type { Context } from '../../../core/context.ts';
import { StoreError } from '../store-error.ts';

const MINUTE_MS = 60_000;

/** Servers take requests whose time is off by this much, in milliseconds; most take 15 minutes. */
const TAKEN_MS = 5 * MINUTE_MS;

/**
 * By how much a machine's clock may be wrong, in milliseconds: a day or a time zone. By one that is months ahead, files
 * in the trash would be too old.
 */
const MOST_WRONG_MS = 25 * 3_600_000;

/** The time of requests: that of the machine, until the server refuses it; then that of the server. */
export class ServerClock {
  readonly #context: Context;
  #aheadMs = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  now(): number {
    return this.#context.clock.now() + this.#aheadMs;
  }

  /**
   * Takes the server's time from its refusal of a request, if that may be for the time: a refused HEAD has no text.
   *
   * @param sentMs the time that the request had
   * @returns whether that was wrong, and is known better now
   */
  learn(error: unknown, sentMs: number): boolean {
    if (!(error instanceof StoreError)) return false;
    const { status, s3Code, serverMs } = error;
    if (status !== 403 || !['', 'RequestTimeTooSkewed'].includes(s3Code)) return false;
    const aheadMs = serverMs - this.#context.clock.now();
    const isRight = !(Math.abs(serverMs - sentMs) > TAKEN_MS);
    if (isRight || Math.abs(aheadMs) > MOST_WRONG_MS) return false;
    if (Math.abs(aheadMs - this.#aheadMs) > TAKEN_MS) {
      const fields = { aheadMs: Math.round(aheadMs / MINUTE_MS) * MINUTE_MS };
      this.#context.emit({ type: 'log', level: 'notice', code: 'clock-differs', fields });
    }
    this.#aheadMs = aheadMs;
    return true;
  }
}
