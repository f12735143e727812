/** The smallest and largest width, and the start of the search. */
export interface WidthRange {
  readonly least: number;
  readonly first: number;
  /** The start if the program has waited for responses before the first task; absent: `first`. */
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

/** A number of parallel tasks that changes with what they report. */
export interface TaskWidth {
  readonly width: number;
  /** The width for a task that holds these bytes in memory. */
  widthFor(bytes: number): number;
  /** A task begins. */
  began(): void;
  ended(task: TaskEnd): void;
}

/** A wider pool must do at least this much more work per second, or it is made narrower again. */
const WORTHWHILE = 1.15;

/**
 * If tasks take longer than in the quickest round by this factor, doubling the width brought less than `WORTHWHILE`.
 * Decides at the start, when rates grow anyway because more and more of the code is optimized.
 */
const SLOWER = 2 / WORTHWHILE;

/** If the event loop is busy for a larger share of the time, more tasks at once would only wait for it. */
export const BUSY = 0.9;

/** Below this share of busy time, the program waits for responses: more at once bring more. */
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

/** A response of a store that is near comes sooner, in milliseconds. */
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
 * The number of parallel tasks, determined by trying: the width with the highest throughput. It starts as TCP does: the
 * width is doubled with each round of tasks, or grows by less if that keeps the program busy, until they take longer.
 * From then on it is doubled while throughput grows; otherwise the last one that helped stays, and a wider one is tried
 * again after a while, since networks change. It is never widened while the program is busy all the time, and halved
 * immediately when many tasks have setbacks. Has no clock: time comes with the tasks.
 */
export class AdaptiveWidth implements TaskWidth {
  readonly #range: WidthRange;
  readonly #loop: () => LoopTime;
  readonly #idleBefore: number;
  #width: number;
  #hasBegun = false;
  /** The width is that of a far start, and nothing has been measured. */
  #isGuess = false;
  /** The best width before the one being tried, and its throughput. */
  #before: { readonly width: number; readonly rate: number } | undefined;
  #state: 'starting' | 'trying' | 'resting' = 'starting';
  /** The mean time of a task in the quickest round of the start. */
  #quickestMs = Number.POSITIVE_INFINITY;
  #rest = FIRST_REST;
  #looksLeft = 0;
  #setbacks = 0;
  /** Of this round, which ends when as many tasks have ended as run at once. */
  #failed = 0;
  #endedInRound = 0;
  /** When the width was halved last: setbacks of tasks that had started before were counted already. */
  #halvedMs = Number.NEGATIVE_INFINITY;
  /** What is being measured, and since when. */
  #sinceMs: number | undefined;
  #sinceActiveMs = 0;
  #tasks = 0;
  #work = 0;
  #tookMs = 0;

  /** @param loop how long the event loop has been busy and idle so far; absent: that decides nothing */
  constructor(range: WidthRange, loop: () => LoopTime = () => ({ active: 0, idle: 0 })) {
    this.#range = range;
    this.#loop = loop;
    this.#idleBefore = loop().idle;
    this.#width = Math.min(range.first, range.most);
  }

  get width(): number {
    return this.#width;
  }

  /** Larger tasks wait until a far start has proved right. */
  widthFor(bytes: number): number {
    return this.#isGuess && bytes > SMALL ? Math.min(this.#range.first, this.#width) : this.#width;
  }

  /** A task begins. The first one decides where the search starts. */
  began(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    if (this.#loop().idle - this.#idleBefore < NEAR_MS) return;
    const { first, far = first, most } = this.#range;
    this.#width = Math.min(far, most);
    this.#isGuess = true;
  }

  ended(task: TaskEnd): void {
    if (this.#isOverload(task)) {
      this.#halve(task);
      return;
    }
    if (this.#state === 'starting') {
      this.#start(task);
      return;
    }
    if (this.#sinceMs === undefined) {
      this.#tasks++;
      if (this.#tasks >= this.#width || !task.isFull) this.#lookAgain(task.nowMs);
      return;
    }
    if (!task.isFull) {
      this.#lookAgain(task.nowMs);
      return;
    }
    this.#tasks++;
    this.#work += task.work;
    const elapsed = task.nowMs - this.#sinceMs;
    if (this.#tasks < 2 * this.#width || elapsed < SHORTEST_LOOK_MS) return;
    this.#conclude(this.#work / elapsed, this.#busyShare(elapsed) > BUSY);
    this.#lookAgain(undefined);
  }

  /** Whether too many tasks of this round had setbacks. */
  #isOverload({ setbacks }: TaskEnd): boolean {
    this.#failed += setbacks - this.#setbacks;
    this.#setbacks = setbacks;
    const isOverload = this.#failed >= Math.max(LEAST_OVERLOAD, this.#width * OVERLOAD);
    if (++this.#endedInRound >= this.#width || isOverload) {
      this.#endedInRound = 0;
      this.#failed = 0;
    }
    return isOverload;
  }

  #halve({ nowMs, tookMs }: TaskEnd): void {
    if (nowMs - tookMs >= this.#halvedMs) {
      // A few bear any throttling: each request waits by itself before it is repeated.
      const { least } = this.#range;
      this.#width = Math.max(least, Math.min(this.#width, FEW), this.#width >> 1);
      this.#halvedMs = nowMs;
    }
    this.#takeRest(this.#rest);
    this.#lookAgain(undefined);
  }

  /** The start: each round of tasks decides whether the next one is wider. */
  #start(task: TaskEnd): void {
    if (this.#sinceMs === undefined || !task.isFull) {
      this.#lookAgain(task.nowMs);
      return;
    }
    this.#tasks++;
    this.#work += task.work;
    this.#tookMs += task.tookMs;
    if (this.#tasks < this.#width) return;
    const meanMs = this.#tookMs / this.#tasks;
    const elapsed = task.nowMs - this.#sinceMs;
    const busy = this.#busyShare(elapsed);
    if (busy > WAITS) {
      this.#lookAgain(task.nowMs);
      return;
    }
    if (meanMs > this.#quickestMs * SLOWER) {
      this.#width = this.#before?.width ?? this.#width;
      this.#takeRest(SHORT_REST);
      this.#lookAgain(undefined);
      return;
    }
    this.#quickestMs = Math.min(this.#quickestMs, meanMs);
    this.#tryWider(this.#work / elapsed, Math.ceil(this.#width * Math.min(2, FILLS / busy)));
    if (this.#state === 'trying') this.#state = 'starting';
    this.#lookAgain(task.nowMs);
  }

  /** After the start: what a measured throughput means for the width. */
  #conclude(rate: number, isBusy: boolean): void {
    if (this.#state === 'resting') {
      this.#looksLeft--;
      if (this.#looksLeft <= 0 && !isBusy) this.#tryWider(rate, Math.ceil(this.#width * 1.5));
    } else if (this.#before === undefined || rate > this.#before.rate * WORTHWHILE) {
      this.#rest = FIRST_REST;
      if (isBusy) this.#takeRest(this.#rest);
      else this.#tryWider(rate, this.#width * 2);
    } else {
      this.#width = this.#before.width;
      this.#takeRest(this.#rest);
      this.#rest = Math.min(LONGEST_REST, this.#rest * 2);
    }
  }

  #tryWider(rate: number, wider: number): void {
    this.#isGuess = false;
    this.#before = { width: this.#width, rate };
    this.#width = Math.min(this.#range.most, wider);
    this.#state = this.#width === this.#before.width ? 'resting' : 'trying';
    this.#looksLeft = this.#rest;
  }

  #takeRest(looks: number): void {
    this.#state = 'resting';
    this.#looksLeft = looks;
  }

  #lookAgain(nowMs: number | undefined): void {
    this.#sinceMs = nowMs;
    this.#sinceActiveMs = this.#loop().active;
    this.#tasks = 0;
    this.#work = 0;
    this.#tookMs = 0;
  }

  #busyShare(elapsed: number): number {
    return (this.#loop().active - this.#sinceActiveMs) / Math.max(1, elapsed);
  }
}
