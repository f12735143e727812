import type { Emit, SyncerEvent } from './events.ts';

/** The time, and waiting: passed in, so that tests need not wait. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start, never going back. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason if it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Memory that a caller may use until it is released. */
export interface MemoryShare {
  readonly bytes: number;
  release(): void;
}

/** The memory for content and listings in transit (`--memory`). */
export interface MemoryBudget {
  /** What a mount may keep of files that were read, in bytes; absent: as much as its flags allow. */
  readonly ofMount?: number;
  /**
   * Waits for `least` to `most` bytes, as much as is free. Never call it while holding a share. Rejects with the
   * signal's reason.
   */
  take(least: number, most: number, signal: AbortSignal): Promise<MemoryShare>;
}

/** What a run passes to everything it calls: nothing in syncer is global. */
export interface Context {
  /** Aborted when the run must end (Ctrl-C, SIGTERM, `--max-duration`); its reason is a `SyncerError`. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly emit: Emit;
  /** How often in this run a server throttled, or a call was retried. */
  readonly setbacks?: () => number;
  /** The last of these, and on the clock the end of its wait. */
  readonly lastWait?: () => (SyncerEvent & { type: 'wait'; untilMs: number }) | undefined;
  /** Absent: the memory is not limited. */
  readonly memory?: MemoryBudget;
  /** The limit of all transfers together now, in bytes a second; `undefined` while none was ever set. */
  readonly bandwidthLimit?: () => number | undefined;
  /** How many files are to be transferred in parallel, if the user has changed it during the run. */
  readonly transfersWanted?: () => number | undefined;
  /** Whether `debug` log lines are shown; `false` saves building them. */
  readonly verbose?: boolean;
  /** Every request of a remote passes it; absent: the run never limits them. */
  readonly requestGate?: RequestGate;
  /** From how many entries on a directory is sorted on disk (`--list-cutoff`); `DEFAULT_LIST_CUTOFF` by default. */
  readonly listCutoff?: number;
}

/** Waits until a request may be sent. Rejects with the signal's reason, or because it must not be sent any more. */
type RequestLimit = (signal: AbortSignal) => Promise<void>;

/** Where a run can limit the requests of remotes that are open already; open until it is used. */
export class RequestGate {
  readonly #limits = new Map<symbol, RequestLimit>();
  /** What all of them are together. */
  #limit: RequestLimit | undefined;

  /** Resolves when a request may be sent; absent: at once. */
  get limit(): RequestLimit | undefined {
    return this.#limit;
  }

  /** All requests wait for `limit`, too, until the returned function is called: that frees them from no other limit. */
  use(limit: RequestLimit): () => void {
    const user = Symbol('user');
    this.#limits.set(user, limit);
    this.#combine();
    return () => {
      this.#limits.delete(user);
      this.#combine();
    };
  }

  #combine(): void {
    const all = [...this.#limits.values()];
    this.#limit =
      all.length < 2
        ? all[0]
        : async (signal) => {
            for (const limit of all) await limit(signal);
          };
  }
}

/** rclone's default: a million entries are about half a gigabyte. */
export const DEFAULT_LIST_CUTOFF = 1_000_000;

/** The machine's own time. */
export const systemClock: Clock = {
  now: Date.now,
  monotonic: performance.now.bind(performance),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, timerMs(ms));
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/**
 * Begins to measure, in milliseconds, by both clocks: one stands still while the machine sleeps, the other may be set.
 */
export function stopwatch(clock: Pick<Clock, 'now' | 'monotonic'>): () => number {
  const [steady, wall] = [clock.monotonic(), clock.now()];
  return () => Math.max(clock.monotonic() - steady, clock.now() - wall);
}

/** The longest time that a timer of Node takes, in milliseconds: 24.8 days. It makes a longer one end at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** A time for a timer: at most the longest that one takes. In milliseconds. */
export const timerMs = (ms: number): number => Math.min(ms, LONGEST_MS);

/** Calls `task` after a time of any length, in milliseconds; returns the function that ends this. */
export function afterMs(ms: number, task: () => void): () => void {
  let timer: NodeJS.Timeout;
  const wait = (left: number) => {
    timer = setTimeout(() => (left > LONGEST_MS ? wait(left - LONGEST_MS) : task()), timerMs(left));
  };
  wait(ms);
  return () => clearTimeout(timer);
}

/** Runs `work` with a signal that is aborted `graceMs` milliseconds after the given one, with its reason. */
export async function withGrace<T>(
  signal: AbortSignal,
  graceMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => own.abort(signal.reason), graceMs);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(own.signal);
  } finally {
    signal.removeEventListener('abort', onAbort);
    clearTimeout(timer);
  }
}

/**
 * A controller that follows these signals. Its signal is much cheaper to look at than one of `AbortSignal.any`; in
 * return the sources keep it: use it for what lives as long as they do.
 */
export function linkedAbort(...signals: readonly AbortSignal[]): AbortController {
  const controller = new AbortController();
  for (const signal of signals) {
    const follow = () => controller.abort(signal.reason);
    if (signal.aborted) follow();
    else signal.addEventListener('abort', follow, { once: true });
  }
  return controller;
}

/** Waits for a promise that others wait for too; rejects with the signal's reason as soon as that is aborted. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const ended = Promise.withResolvers<T>();
  const onAbort = () => ended.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  promise
    .then(ended.resolve, ended.reject)
    .finally(() => signal.removeEventListener('abort', onAbort));
  return ended.promise;
}

/** Runs `work`, and calls `onAbort` if the signal is aborted before it ends. */
export async function watchingAbort<T>(
  signal: AbortSignal,
  onAbort: () => void,
  work: () => Promise<T>,
): Promise<T> {
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
