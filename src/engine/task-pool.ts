import type { Clock, Context } from '../core/context.ts';
import type { TransferPlaces } from './run-control.ts';
import type { Adapts } from './sync-option-parts.ts';

/** Runs a limited number of tasks in parallel, and delays the caller while too many wait. */
export interface TaskPool {
  /**
   * Resolves when the task runs or is queued. Tasks handle their own errors: one that rejects has a bug, and `idle`
   * rejects with its error.
   *
   * @param bytes memory that the task may hold
   */
  add(task: () => Promise<void>, bytes?: number): Promise<void>;
  isFull(): boolean;
  /** Resolves when nothing runs and nothing waits. Rejects with the error of the first faulty task. */
  idle(): Promise<void>;
  /** Nothing more will come. */
  close(): void;
}

/** An adaptive width and its inputs. */
interface ChangingWidth {
  readonly adaptive: AdaptiveWidth;
  /** Limit of the memory of running tasks together; a single task may hold more. */
  readonly budget: number;
  readonly context: PoolContext;
}

/** What an adaptive pool needs of its run. */
interface PoolContext extends Pick<Context, 'setbacks'> {
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** More in parallel gain nothing on any network. */
export const MOST_AT_ONCE = 256;

interface Waiting {
  readonly task: () => Promise<void>;
  readonly bytes: number;
}

const TAKEN = Promise.resolve();

/** The number of bytes that count as much work as a file by itself. */
const BYTES_OF_WORK = 64 * 1024;

/** Pools of several attempts at the same time: these share the number of parallel tasks, which is found once. */
export interface SharedPools {
  readonly checks: TaskPool;
  readonly transfers?: TransferPools;
}

/** Those of small and of large files; may be the same. */
export interface TransferPools {
  readonly small: TaskPool;
  readonly large: TaskPool;
}

/**
 * The pool in which pairs of files are compared.
 *
 * @param backlog how many may wait
 */
export function checkPool(
  { checkers, adapts }: { readonly checkers: number; readonly adapts?: Adapts | undefined },
  { context, pools }: { readonly context: PoolContext; readonly pools?: SharedPools | undefined },
  backlog = checkers * 16,
): TaskPool {
  if (pools !== undefined) return poolPart(pools.checks, backlog);
  if (adapts?.checkers !== true) return createTaskPool(checkers, backlog);
  const range = { least: 1, first: checkers, most: MOST_AT_ONCE };
  return createAdaptivePool(range, Number.POSITIVE_INFINITY, context, backlog);
}

/** A pool with an adaptive width: it grows as long as that makes it faster. `budget` as in `ChangingWidth`. */
export function createAdaptivePool(
  range: WidthRange,
  budget: number,
  context: PoolContext,
  backlog: number,
  places?: TransferPlaces,
): TaskPool {
  const adaptive = adaptiveWidth(range, performance.eventLoopUtilization);
  return createTaskPool({ adaptive, budget, context }, backlog, places);
}

/**
 * A pool of `width` places and a queue of `backlog` tasks, started in their order.
 *
 * @param places the user's number instead of `width`, if set
 */
export function createTaskPool(
  width: number | ChangingWidth,
  backlog: number,
  places?: TransferPlaces,
): TaskPool {
  const waiting: Waiting[] = [];
  const blockedAdders: (() => void)[] = [];
  let ending: PromiseWithResolvers<void> | undefined;
  const changing = typeof width === 'number' ? undefined : width;
  let head = 0;
  let running = 0;
  let held = 0;
  let fault: { readonly thrown: unknown } | undefined;

  const widthNow = (bytes = 0) =>
    changing === undefined ? (width as number) : changing.adaptive.widthFor(bytes);
  const hasPlace = (bytes: number) => {
    if (changing !== undefined && running > 0 && held + bytes > changing.budget) return false;
    return places?.wanted === undefined ? running < widthNow(bytes) : places.hasRoom();
  };

  const startWaiting = () => {
    for (;;) {
      const next = waiting[head];
      if (next === undefined || !hasPlace(next.bytes)) return;
      head++;
      if (head > 1024 && head * 2 > waiting.length) {
        waiting.splice(0, head);
        head = 0;
      }
      blockedAdders.shift()?.();
      void run(next);
    }
  };

  const run = async ({ task, bytes }: Waiting) => {
    running++;
    held += bytes;
    changing?.adaptive.began();
    places?.began();
    const startMs = changing?.context.clock.monotonic() ?? 0;
    try {
      await task();
    } catch (thrown) {
      fault ??= { thrown };
    }
    running--;
    held -= bytes;
    if (changing !== undefined) {
      const { adaptive, context } = changing;
      const nowMs = context.clock.monotonic();
      adaptive.ended({
        nowMs,
        tookMs: nowMs - startMs,
        work: 1 + bytes / BYTES_OF_WORK,
        isFull: head < waiting.length,
        setbacks: context.setbacks?.() ?? 0,
      });
    }
    startWaiting();
    places?.ended();
    if (running > 0) return;
    ending?.resolve();
    ending = undefined;
  };

  const leave = places?.join({ width: () => widthNow(), wake: startWaiting });

  return {
    add(task, bytes = 0) {
      if (head === waiting.length && hasPlace(bytes)) {
        void run({ task, bytes });
        return TAKEN;
      }
      waiting.push({ task, bytes });
      if (waiting.length - head <= backlog) return TAKEN;
      return new Promise<void>((resolve) => blockedAdders.push(resolve));
    },
    isFull: () => waiting.length - head >= backlog,
    async idle() {
      while (running > 0 || head < waiting.length) {
        ending ??= Promise.withResolvers();
        await ending.promise;
      }
      if (fault !== undefined) throw fault.thrown;
    },
    close: () => leave?.(),
  };
}

/**
 * A part of a pool that several users share: `idle` waits for the tasks of this part only, of which at most `backlog`
 * wait. The pool itself must never delay its callers.
 */
export function poolPart(pool: TaskPool, backlog: number): TaskPool {
  const blockedAdders: (() => void)[] = [];
  let ending: PromiseWithResolvers<void> | undefined;
  let waiting = 0;
  let running = 0;
  let fault: { readonly thrown: unknown } | undefined;
  const run = async (task: () => Promise<void>) => {
    waiting--;
    running++;
    blockedAdders.shift()?.();
    try {
      await task();
    } catch (thrown) {
      fault ??= { thrown };
    }
    running--;
    if (running > 0 || waiting > 0) return;
    ending?.resolve();
    ending = undefined;
  };
  return {
    add(task, bytes) {
      waiting++;
      void pool.add(() => run(task), bytes);
      if (waiting <= backlog) return TAKEN;
      return new Promise<void>((resolve) => blockedAdders.push(resolve));
    },
    isFull: () => waiting >= backlog,
    async idle() {
      while (running > 0 || waiting > 0) {
        ending ??= Promise.withResolvers();
        await ending.promise;
      }
      if (fault !== undefined) throw fault.thrown;
    },
    close() {},
  };
}

/** The smallest and largest width, and the start of the search. */
export interface WidthRange {
  readonly least: number;
  readonly first: number;
  /** The start if the program has waited for answers before the first task; absent: `first`. */
  readonly far?: number | undefined;
  readonly most: number;
}

/** How long the event loop has been busy and idle so far, in milliseconds. */
interface LoopTime {
  readonly active: number;
  readonly idle: number;
}

/** The state of a pool when one of its tasks ends. */
interface TaskEnd {
  /** On a monotonic clock, in milliseconds. */
  readonly nowMs: number;
  /** How long it took, in milliseconds. */
  readonly tookMs: number;
  /** The work of the task: 1 for a file, and more for its content. */
  readonly work: number;
  /** Other tasks wait: the pool is at its width. */
  readonly isFull: boolean;
  /** How often, in the whole run so far, a server throttled or a call had to be repeated. */
  readonly setbacks: number;
}

/** The number of parallel tasks, determined by trying. */
export type AdaptiveWidth = ReturnType<typeof adaptiveWidth>;

/** A wider pool must do at least this much more work per second, or it is made narrower again. */
const WORTHWHILE = 1.15;

/**
 * If tasks take longer than in the quickest round by this factor, doubling the width brought less than `WORTHWHILE`.
 * Decides at the start, when rates grow anyway because more and more of the code is optimized.
 */
const SLOWER = 2 / WORTHWHILE;

/** If the event loop is busy for a larger share of the time, more tasks at once would only wait for it. */
const BUSY = 0.9;

/** Below this share of busy time, the program waits for answers: more at once bring more. */
const WAITS = 0.75;

/** At the start, the width grows to keep the event loop this busy: more than all the time, since code gets faster. */
const FILLS = 1.25;

/** A number that every store and visitor can bear. */
const FEW = 4;

/**
 * A store counts as overloaded if this share of the tasks that run at once have setbacks. A smaller one, as on a
 * network that loses some connections, does not become smaller with fewer tasks.
 */
const OVERLOAD = 1 / 8;

/** The same as a number of setbacks, for few tasks. */
const LEAST_OVERLOAD = 3;

/** An answer of a store that is near comes sooner, in milliseconds. */
const NEAR_MS = 15;

/** At a far start, tasks that hold more than these bytes are as many as elsewhere. */
const SMALL = 256 * 1024;

/** Shorter measurements decide nothing, in milliseconds. */
const SHORTEST_LOOK_MS = 40;

/** After this many measurements at a good width, a wider one is tried again; twice as many after each failure. */
const FIRST_REST = 8;

/** The same after the start, which may have ended because of one slow task. */
const SHORT_REST = 2;

const LONGEST_REST = 128;

/**
 * Searches for the width with the highest throughput. It starts as TCP does: the width is doubled with each round of
 * tasks, or grows by less if that keeps the program busy, until they take longer. From then on it is doubled while
 * throughput grows; otherwise the last one that helped is kept, and a wider one is tried again after a while, since
 * networks change. It is never widened while the program is busy all the time, and halved immediately when many tasks
 * have setbacks. Pure: time comes with the tasks.
 */
export function adaptiveWidth(
  { least, first, far = first, most }: WidthRange,
  loop: () => LoopTime = () => ({ active: 0, idle: 0 }),
) {
  let width = Math.min(first, most);
  let hasBegun = false;
  /** The width is that of a far start, and nothing has been measured. */
  let isGuess = false;
  const idleBefore = loop().idle;
  /** The best width before the one being tried, and its throughput. */
  let before: { readonly width: number; readonly rate: number } | undefined;
  let state: 'starting' | 'trying' | 'resting' = 'starting';
  /** The mean time of a task in the quickest round of the start. */
  let quickestMs = Number.POSITIVE_INFINITY;
  let tookMs = 0;
  let rest = FIRST_REST;
  let looksLeft = 0;
  let setbacks = 0;
  /** Of this round, which ends when as many tasks have ended as run at once. */
  let failed = 0;
  let endedInRound = 0;
  /** When the width was halved last: setbacks of tasks that had started before were counted already. */
  let halvedMs = Number.NEGATIVE_INFINITY;
  let sinceMs: number | undefined;
  let sinceActiveMs = 0;
  let tasks = 0;
  let work = 0;

  const lookAgain = (nowMs: number | undefined) => {
    sinceMs = nowMs;
    sinceActiveMs = loop().active;
    tasks = 0;
    work = 0;
    tookMs = 0;
  };
  const tryWider = (rate: number, wider: number) => {
    isGuess = false;
    before = { width, rate };
    width = Math.min(most, wider);
    state = width === before.width ? 'resting' : 'trying';
    looksLeft = rest;
  };
  const conclude = (rate: number, isBusy: boolean) => {
    if (state === 'resting') {
      looksLeft--;
      if (looksLeft <= 0 && !isBusy) tryWider(rate, Math.ceil(width * 1.5));
    } else if (before === undefined || rate > before.rate * WORTHWHILE) {
      rest = FIRST_REST;
      if (!isBusy) return tryWider(rate, width * 2);
      state = 'resting';
      looksLeft = rest;
    } else {
      width = before.width;
      state = 'resting';
      looksLeft = rest;
      rest = Math.min(LONGEST_REST, rest * 2);
    }
  };

  const busyShare = (elapsed: number) => (loop().active - sinceActiveMs) / Math.max(1, elapsed);
  const start = (task: TaskEnd) => {
    if (sinceMs === undefined || !task.isFull) return lookAgain(task.nowMs);
    tasks++;
    work += task.work;
    tookMs += task.tookMs;
    if (tasks < width) return;
    const meanMs = tookMs / tasks;
    const elapsed = task.nowMs - sinceMs;
    const busy = busyShare(elapsed);
    if (busy > WAITS) return lookAgain(task.nowMs);
    if (meanMs > quickestMs * SLOWER) {
      width = before?.width ?? width;
      state = 'resting';
      looksLeft = SHORT_REST;
      return lookAgain(undefined);
    }
    quickestMs = Math.min(quickestMs, meanMs);
    tryWider(work / elapsed, Math.ceil(width * Math.min(2, FILLS / busy)));
    if (state === 'trying') state = 'starting';
    lookAgain(task.nowMs);
  };

  return {
    get width() {
      return width;
    },
    /** The width for a task that holds these bytes in memory: larger ones wait until a far start has proved right. */
    widthFor: (bytes: number) => (isGuess && bytes > SMALL ? Math.min(first, width) : width),
    /** A task begins. The first one decides where the search starts. */
    began() {
      if (hasBegun) return;
      hasBegun = true;
      if (loop().idle - idleBefore < NEAR_MS) return;
      width = Math.min(far, most);
      isGuess = true;
    },
    ended(task: TaskEnd) {
      failed += task.setbacks - setbacks;
      setbacks = task.setbacks;
      const isOverload = failed >= Math.max(LEAST_OVERLOAD, width * OVERLOAD);
      if (++endedInRound >= width || isOverload) [endedInRound, failed] = [0, 0];
      if (isOverload) {
        if (task.nowMs - task.tookMs >= halvedMs) {
          // A few bear any throttling: each request waits by itself before it is repeated.
          width = Math.max(least, Math.min(width, FEW), width >> 1);
          halvedMs = task.nowMs;
        }
        state = 'resting';
        looksLeft = rest;
        lookAgain(undefined);
        return;
      }
      if (state === 'starting') return start(task);
      if (sinceMs === undefined) {
        tasks++;
        if (tasks < width && task.isFull) return;
        lookAgain(task.nowMs);
        return;
      }
      if (!task.isFull) return lookAgain(task.nowMs);
      tasks++;
      work += task.work;
      const elapsed = task.nowMs - sinceMs;
      if (tasks < 2 * width || elapsed < SHORTEST_LOOK_MS) return;
      conclude(work / elapsed, busyShare(elapsed) > BUSY);
      lookAgain(undefined);
    },
  };
}

/** Parallel directories are counted again after this time, in milliseconds. */
const WALK_LOOK_MS = 5;

/**
 * The number of directories walked in parallel. Starts with a few and adds one with each directory that was walked, up to `most`: listed entries wait in memory.
 * Falls back to a few while enough is waiting, and step by step to `least` while the program is busy all the time:
 * entries of one directory are soon garbage, those of several outlive collections and are copied in each.
 *
 * @param isFull whether enough is waiting; absent: `most` from the start
 * @param least 2 where a server is asked, so that one listing is under way while another is compared
 */
export function walkWidth(
  most: number,
  isFull: (() => boolean) | undefined,
  least: 1 | 2,
  loop: () => LoopTime = performance.eventLoopUtilization,
) {
  const few = Math.min(most, FEW);
  let since = loop();
  let busy = 0;
  const width = {
    now: isFull === undefined ? most : few,
    /** A directory was walked. */
    ended() {
      if (isFull === undefined) return;
      const { active, idle } = loop();
      const elapsed = active + idle - since.active - since.idle;
      const isLook = elapsed >= WALK_LOOK_MS;
      if (isLook) {
        busy = (active - since.active) / elapsed;
        since = { active, idle };
      }
      if (isLook && busy > BUSY) width.now = Math.min(most, Math.max(least, width.now - 1));
      if (isFull()) width.now = Math.min(width.now, few);
      else if (busy < WAITS) width.now = Math.min(most, width.now + 1);
    },
  };
  return width;
}
