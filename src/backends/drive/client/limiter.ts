import { abortable, type Context } from '../../../core/context.ts';
import type { SyncerError } from '../../../core/errors.ts';
import { backOffMs, throttleBackOff } from '../../../core/retry.ts';

/**
 * Limits an account's requests: all wait when the service throttles, and fewer run in parallel afterwards. It is no
 * retry: it repeats nothing, and its wait is that of all requests. `GraphClient` retries the throttled ones, which then
 * wait here.
 */
export class Limiter {
  readonly #account: string;
  readonly #context: Context;
  #width = Number.POSITIVE_INFINITY;
  #underWay = 0;
  #calm = 0;
  /** Waits without a success in between. */
  #complaints = 0;
  #pause: Promise<void> | undefined;
  #pausedUntil = 0;
  /** Until then throttling belongs to a wait already reported, by the monotonic clock. */
  #episodeEnd = Number.NEGATIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];

  /** @param account name for messages */
  constructor(account: string, context: Context) {
    this.#account = account;
    this.#context = context;
  }

  /** The service has throttled within the last minute. */
  get wasThrottled(): boolean {
    return this.#episodeEnd > this.#context.clock.monotonic();
  }

  /** Resolves when a request may be sent; call `leave` after its response. Rejects with the signal's reason. */
  async enter(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#pause !== undefined) await abortable(this.#pause, signal);
      else if (this.#underWay < this.#width) break;
      else await abortable(new Promise<void>((go) => this.#waiting.push(go)), signal);
    }
    this.#underWay++;
  }

  leave(): void {
    this.#underWay--;
    this.#wake();
  }

  succeeded(): void {
    this.#complaints = 0;
    if (this.#width === Number.POSITIVE_INFINITY || ++this.#calm < 20) return;
    this.#calm = 0;
    this.#width++;
    this.#wake();
  }

  /** The service throttles: nothing is sent for `retryAfterMs`, or a time that grows with each complaint. */
  complained(retryAfterMs: number | undefined, error?: SyncerError): void {
    const { clock } = this.#context;
    if (this.#pause === undefined) this.#complaints++;
    // Other running requests are throttled as well: only a longer wait is new.
    else if (retryAfterMs === undefined) return;
    const ms = retryAfterMs ?? backOffMs(this.#complaints, undefined, throttleBackOff);
    const until = clock.monotonic() + ms;
    if (this.#pause !== undefined && until <= this.#pausedUntil) return;
    if (this.#pause === undefined) {
      this.#width = Math.max(1, Math.floor(Math.min(this.#width, this.#underWay) / 2));
      this.#calm = 0;
    }
    this.#pausedUntil = until;
    // The end of a run ends a wait; clean-up after it waits only if the service throttles again.
    const { signal } = this.#context;
    const pause: Promise<void> = clock
      .sleep(ms, signal.aborted ? undefined : signal)
      .catch(() => {})
      .then(() => {
        if (this.#pause === pause) this.#pause = undefined;
      });
    this.#pause = pause;
    const { emit } = this.#context;
    const what = `the requests of ${this.#account}`;
    emit({ type: 'wait', why: 'throttled', ms, what, ...(error && { error }) });
    // A minute without throttling ends an episode.
    const isNew = until - ms > this.#episodeEnd;
    this.#episodeEnd = until + 60_000;
    if (!isNew || ms < 1000) return;
    const fields = { account: this.#account, seconds: Math.ceil(ms / 1000) };
    emit({ type: 'log', level: 'notice', code: 'store-throttles', fields });
  }

  /** Waiting requests check again whether they may start. */
  #wake(): void {
    for (const go of this.#waiting.splice(0)) go();
  }
}
