import type { Clock, Context } from '../core/context.ts';
import { AdaptiveWidth, type TaskWidth, type WidthRange } from './adaptive-width.ts';
import type { TransferSlots } from './run-control.ts';
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
  readonly adaptive: TaskWidth;
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
  slots?: TransferSlots,
): TaskPool {
  const adaptive = new AdaptiveWidth(range, performance.eventLoopUtilization);
  return createTaskPool({ adaptive, budget, context }, backlog, slots);
}

/**
 * A pool of `width` slots and a queue of `backlog` tasks, started in their order.
 *
 * @param slots the user's number instead of `width`, if set
 */
export function createTaskPool(
  width: number | ChangingWidth,
  backlog: number,
  slots?: TransferSlots,
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
  const hasSlot = (bytes: number) => {
    if (changing !== undefined && running > 0 && held + bytes > changing.budget) return false;
    return slots?.wanted === undefined ? running < widthNow(bytes) : slots.hasRoom();
  };

  const startWaiting = () => {
    for (;;) {
      const next = waiting[head];
      if (next === undefined || !hasSlot(next.bytes)) return;
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
    slots?.began();
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
    slots?.ended();
    if (running > 0) return;
    ending?.resolve();
    ending = undefined;
  };

  const leave = slots?.join({ width: () => widthNow(), wake: startWaiting });

  return {
    add(task, bytes = 0) {
      if (head === waiting.length && hasSlot(bytes)) {
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
