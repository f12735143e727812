import type { Context } from '../core/context.ts';
import { type SyncerError, toSyncerError } from '../core/errors.ts';
import { backOffMs, retryBackOff, throttleBackOff } from './back-off.ts';

/** How `retry` goes about a call. */
export interface RetryOptions {
  /** Tries in all, at least 1. */
  readonly tries: number;
  /** What is tried, for the `wait` events: `read photos/a.jpg`. */
  readonly what: string;
  readonly signal: AbortSignal;
  readonly context: Pick<Context, 'clock' | 'emit'>;
  /** Further tries are useless although the error's code would allow them. */
  readonly giveUp?: (error: SyncerError, failures: number) => boolean;
  /** 0 to 1; `Math.random` where absent. */
  readonly random?: () => number;
}

/**
 * Runs `call` until it succeeds, fails with an error whose code forbids another try, or has failed `tries` times;
 * then rejects with the last error. Between two tries it emits a `wait` event and waits with growing back-off, at
 * least as long as the store asked for. Rejects with the signal's reason as soon as that is aborted.
 */
export async function retry<T>(
  call: (attempt: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { tries, what, signal, context, giveUp, random = Math.random } = options;
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await call(attempt);
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toSyncerError(thrown);
      if (!error.retry || attempt >= tries || giveUp?.(error, attempt) === true) throw error;
      const throttled = error.code === 'throttled';
      const policy = throttled ? throttleBackOff : retryBackOff;
      const ms = backOffMs(attempt, error.retryAfterMs, policy, random);
      context.emit({ type: 'wait', why: throttled ? 'throttled' : 'retry', ms, what });
      await context.clock.sleep(ms, signal);
    }
  }
}
