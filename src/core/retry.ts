import type { Clock } from './context.ts';
import { type ErrorCode, type SyncerError, toSyncerError } from './errors.ts';
import type { Emit, LogEvent } from './events.ts';

/**
 * How a kind of call is tried again. There is one for each level: `requestPolicy`, `filePolicy` and `runPolicy`; a
 * caller may derive its own. A loop that does not make the same call again after its failure is no retry: one that
 * waits for a state, removes a known reason of a failure, slows down all requests, or continues where a body ended. It
 * says so in its comment, and may use `backOffMs` and `emitSucceeded`.
 */
export interface RetryPolicy {
  /** Whether another try may help after this error. */
  readonly mayHelp: (error: SyncerError) => boolean;
  /** Milliseconds until the next try after `failures` (1 or more); `undefined`: it comes immediately, with no event. */
  readonly waitMs: (
    error: SyncerError,
    failures: number,
    random?: () => number,
  ) => number | undefined;
  /** The log line of a call that succeeded after failures. */
  readonly succeeded: (success: LateSuccess) => LogEvent;
}

/** A call that has succeeded after failures. */
export interface LateSuccess {
  /** As `RetryOptions.what`. */
  readonly what: string;
  /** The number of the try, from 1; since the call last came further, if that is known. */
  readonly attempt: number;
  /** How many tries there could have been; absent: any number. */
  readonly of?: number | undefined;
}

/** One request, whose body can be sent again. `what`: what it does and to what, `read photos/a.jpg`. */
export const requestPolicy: RetryPolicy = {
  mayHelp: (error) => error.retry,
  waitMs: (error, failures, random) => {
    const backOff = error.code === 'throttled' ? throttleBackOff : retryBackOff;
    return backOffMs(failures, error.retryAfterMs, backOff, random);
  },
  succeeded: (fields) => ({ type: 'log', level: 'info', code: 'retry-succeeded', fields }),
};

/** Errors that an immediate retry of the same file would repeat; the next attempt of the run lists it again. */
const NEED_LISTING: readonly ErrorCode[] = ['source-changed', 'metadata'];

/** One file from its first byte. `what`: its path. */
export const filePolicy: RetryPolicy = {
  mayHelp: (error) => error.retry && !NEED_LISTING.includes(error.code),
  waitMs: (error, failures, random) =>
    backOffMs(failures, error.retryAfterMs, retryBackOff, random),
  succeeded: ({ what, attempt, of }) => {
    const fields = { attempt, of };
    return { type: 'log', level: 'info', path: what, code: 'retry-succeeded', fields };
  },
};

/** A whole run, with its listings. Its result says whether another attempt may help, and `--retries-sleep` the wait. */
export const runPolicy: RetryPolicy = {
  mayHelp: () => true,
  waitMs: () => 0,
  // As loud as the failures before it, as in rclone.
  succeeded: ({ attempt, of = attempt }) => {
    return { type: 'log', level: 'error', code: 'attempt-succeeded', fields: { attempt, of } };
  },
};

/** What a retry needs of a run. */
export interface RetryContext {
  readonly clock: Clock;
  readonly emit: Emit;
}

/** How `retry` goes about a call. */
export interface RetryOptions {
  /** Tries in all, at least 1. */
  readonly tries: number;
  /** What is tried, in the form of the policy, for events. */
  readonly what: string;
  readonly signal: AbortSignal;
  readonly context: RetryContext;
  /** `requestPolicy` if absent. */
  readonly policy?: RetryPolicy;
  /** Further tries are useless although the policy and the number would allow them; an error is thrown instead. */
  readonly giveUp?: (error: SyncerError, failures: number) => boolean | SyncerError;
  /** How far the call has come: failures before it came further do not count. */
  readonly progress?: () => number;
  /** Called before each wait of `ms` milliseconds, for what is shown of it; absent: a `wait` event is emitted. */
  readonly onWait?: (error: SyncerError, ms: number, failures: number) => void;
  /** Ends a wait with its reason; `signal` if absent. */
  readonly waitSignal?: AbortSignal;
  /** Prepares the next try after the wait; if it rejects, there is none. */
  readonly prepare?: (error: SyncerError) => Promise<void>;
  /** 0 to 1; `Math.random` where absent. */
  readonly random?: () => number;
}

/**
 * Runs `call` until it succeeds, fails for good, or has failed `tries` times in succession; rejects with the last
 * error. Between tries it emits a `wait` event and waits with growing back-off, at least as long as the server asked; a
 * success after failures is logged. Rejects with the signal's reason when that is aborted.
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
  const { tries, what, signal, context, policy = requestPolicy, waitSignal = signal } = options;
  let thrown = first;
  let reached = 0;
  for (let failures = 1; ; failures++) {
    signal.throwIfAborted();
    const error = toSyncerError(thrown);
    const now = options.progress?.() ?? 0;
    if (now > reached) failures = 1;
    reached = now;
    if (!policy.mayHelp(error) || failures >= tries) throw error;
    const isOver = options.giveUp?.(error, failures) ?? false;
    if (isOver !== false) throw isOver === true ? error : isOver;
    const ms = policy.waitMs(error, failures, options.random);
    if (ms !== undefined) {
      const why = error.code === 'throttled' ? 'throttled' : 'retry';
      if (options.onWait === undefined) context.emit({ type: 'wait', why, ms, what, error });
      else options.onWait(error, ms, failures);
      await context.clock.sleep(ms, waitSignal);
    }
    await options.prepare?.(error);
    signal.throwIfAborted();
    const attempt = failures + 1;
    let result: T;
    try {
      result = await call(attempt);
    } catch (next) {
      thrown = next;
      continue;
    }
    emitSucceeded(context, policy, { what, attempt, of: tries });
    return result;
  }
}

/** Logs a call that succeeded after failures: one line, which statistics count. */
export function emitSucceeded(
  { emit }: RetryContext,
  policy: RetryPolicy,
  success: LateSuccess,
): void {
  emit(policy.succeeded(success));
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
