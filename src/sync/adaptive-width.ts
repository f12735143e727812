/** Between which widths one is sought, and where the search begins. */
export interface WidthRange {
  readonly least: number;
  readonly first: number;
  readonly most: number;
}

/** What is known when a task of a pool ends. */
export interface TaskEnd {
  /** On a clock that never goes back, in milliseconds. */
  readonly nowMs: number;
  /** How much work it was: 1 for a file, and more for what is in it. */
  readonly work: number;
  /** Others wait for a place: the pool is as wide as it may be. */
  readonly isFull: boolean;
  /** How often, in the whole run so far, a store asked to slow down or a call had to be repeated. */
  readonly setbacks: number;
}

/** How many tasks run at once: found out by trying. */
export interface AdaptiveWidth {
  readonly width: number;
  ended(task: TaskEnd): void;
}

/** A wider pool must bring at least this much more work a second, or it is made narrower again. */
const WORTHWHILE = 1.15;

/** Nothing is concluded from less than this, in milliseconds. */
const SHORTEST_LOOK_MS = 40;

/** After so many looks at a width that was good, a wider one is tried once more; twice as many after each failure. */
const FIRST_REST = 8;
const LONGEST_REST = 128;

/**
 * Seeks the width at which most work is done. While throughput grows the width is doubled; where it does not, the
 * last one that helped is kept, and a wider one is tried again after a while, since networks change. A setback halves
 * it at once. Pure: time comes with the tasks.
 */
export function adaptiveWidth({ least, first, most }: WidthRange): AdaptiveWidth {
  let width = Math.min(first, most);
  /** The best width before the one that is being tried, and its throughput. */
  let before: { readonly width: number; readonly rate: number } | undefined;
  let state: 'trying' | 'resting' = 'trying';
  let rest = FIRST_REST;
  let looksLeft = 0;
  let setbacks = 0;
  /** Tasks that began at the old width are still under way: their setbacks are the one that was heeded already. */
  let isSettling = false;
  let sinceMs: number | undefined;
  let tasks = 0;
  let work = 0;

  const lookAgain = (nowMs: number | undefined) => {
    sinceMs = nowMs;
    tasks = 0;
    work = 0;
  };
  const tryWider = (rate: number, wider: number) => {
    before = { width, rate };
    width = Math.min(most, wider);
    state = width === before.width ? 'resting' : 'trying';
    looksLeft = rest;
  };
  const conclude = (rate: number) => {
    if (state === 'resting') {
      looksLeft--;
      if (looksLeft <= 0) tryWider(rate, Math.ceil(width * 1.5));
    } else if (before === undefined || rate > before.rate * WORTHWHILE) {
      rest = FIRST_REST;
      tryWider(rate, width * 2);
    } else {
      width = before.width;
      state = 'resting';
      looksLeft = rest;
      rest = Math.min(LONGEST_REST, rest * 2);
    }
  };

  return {
    get width() {
      return width;
    },
    ended(task) {
      if (task.setbacks > setbacks) {
        setbacks = task.setbacks;
        if (!isSettling) width = Math.max(least, width >> 1);
        isSettling = true;
        state = 'resting';
        looksLeft = rest;
        lookAgain(undefined);
        return;
      }
      if (sinceMs === undefined) {
        tasks++;
        if (tasks < width && task.isFull) return;
        isSettling = false;
        lookAgain(task.nowMs);
        return;
      }
      if (!task.isFull) return lookAgain(task.nowMs);
      tasks++;
      work += task.work;
      const elapsed = task.nowMs - sinceMs;
      if (tasks < 2 * width || elapsed < SHORTEST_LOOK_MS) return;
      conclude(work / elapsed);
      lookAgain(undefined);
    },
  };
}
