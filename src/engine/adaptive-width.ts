/** The smallest and largest width, and the start of the search. */
export interface WidthRange {
  readonly least: number;
  readonly first: number;
  /** The start if the program has waited for answers before the first task; absent: `first`. */
  readonly far?: number | undefined;
  readonly most: number;
}

/** How long the event loop has been busy and idle so far, in milliseconds. */
export interface LoopTime {
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
export const BUSY = 0.9;

/** Below this share of busy time, the program waits for answers: more at once bring more. */
export const WAITS = 0.75;

/** At the start, the width grows to keep the event loop this busy: more than all the time, since code gets faster. */
const FILLS = 1.25;

/** A number that every store and visitor can bear. */
export const FEW = 4;

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
