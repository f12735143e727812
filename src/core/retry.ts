import type { Context } from './context.ts';
import { type SyncerError, toSyncerError } from './errors.ts';

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
  /** How far the call has come: failures before it came further do not count. */
  readonly progress?: () => number;
  /** Another part waits before the next try, which comes immediately. */
  readonly waitsElsewhere?: (error: SyncerError) => boolean;
  /** 0 to 1; `Math.random` where absent. */
  readonly random?: () => number;
}

/**
 * Runs `call` until it succeeds, fails for good, or has failed `tries` times in succession; rejects with the last
 * error. Between tries it emits a `wait` event and waits with growing back-off, at least as long as the server asked.
 * Rejects with the signal's reason when that is aborted.
 */
export async function retry<T>(
  call: (attempt: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  options.signal.throwIfAborted();
  try {
    return await call(1);
  } catch (thrown) {
    return retryAfter(thrown, call, options);
  }
}

/** As `retry`, after a first try that has failed. */
export async function retryAfter<T>(
  first: unknown,
  call: (attempt: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { tries, signal, context, giveUp, waitsElsewhere, random = Math.random } = options;
  let thrown = first;
  let reached = 0;
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    const error = toSyncerError(thrown);
    const now = options.progress?.() ?? 0;
    if (now > reached) failures = 1;
    reached = now;
    if (!error.retry || failures >= tries || giveUp?.(error, failures) === true) throw error;
    if (waitsElsewhere?.(error) !== true) {
      const throttled = error.code === 'throttled';
      const policy = throttled ? throttleBackOff : retryBackOff;
      const ms = backOffMs(failures, error.retryAfterMs, policy, random);
      const why = throttled ? 'throttled' : 'retry';
      context.emit({ type: 'wait', why, ms, what: options.what, error });
      await context.clock.sleep(ms, signal);
    }
    signal.throwIfAborted();
    try {
      return await call(failures + 1);
    } catch (next) {
      thrown = next;
    }
  }
}

/** How long to wait between tries. */
export interface BackOff {
  /** The wait before the second try, in milliseconds. */
  readonly baseMs: number;
  /** No wait of our own choice is longer, in milliseconds. */
  readonly capMs: number;
}

/** For a call that failed for a reason that passes soon: a broken connection, a server's hiccup. */
export const retryBackOff: BackOff = { baseMs: 50, capMs: 5_000 };

/** For a store that asks to slow down. */
export const throttleBackOff: BackOff = { baseMs: 250, capMs: 20_000 };

/** Milliseconds to wait after `failures` (1 or more): doubles up to the cap, with jitter; at least `retryAfterMs`. */
export function backOffMs(
  failures: number,
  retryAfterMs?: number,
  { baseMs, capMs }: BackOff = retryBackOff,
  random: () => number = Math.random,
): number {
  const full = Math.min(capMs, baseMs * 2 ** Math.min(Math.max(0, failures - 1), 30));
  const jittered = full * (0.5 + random() / 2);
  return Math.round(Math.max(jittered, retryAfterMs ?? 0));
}
