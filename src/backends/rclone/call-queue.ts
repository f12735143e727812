import { SyncerError } from '../../core/errors.ts';
import { resultsOf } from './rclone-answers.ts';
import { rcloneError } from './rclone-error.ts';

/** Files up to this size are copied in groups, in bytes. */
export const SMALL = 64 * 1024;
/** How many calls one request has at most, and how long it may take by those before it, in milliseconds. */
const MOST_TOGETHER = 32;
const TOGETHER_MS = 50;

/** What a queue needs of rclone. */
interface CalledRclone {
  /** Whether it has `job/batch`, which is new in 1.72; `undefined` before it was started. */
  readonly takesBatches: boolean | undefined;
  /** A monotonic time, in milliseconds. */
  nowMs(): number;
  call(
    name: string,
    input: object,
    how: { readonly signal: AbortSignal; readonly path?: string | undefined },
  ): Promise<Readonly<Record<string, unknown>>>;
}

/** A call of which only its success counts. */
interface QueuedCall {
  readonly name: string;
  readonly input: object;
  /** Its `_config`. */
  readonly config: object;
  readonly signal: AbortSignal;
  /** The path as the user writes it, for messages. */
  readonly path: string;
}

interface WaitingCall extends QueuedCall {
  /** Calls of one kind can be sent together. */
  readonly kind: string;
  readonly done: () => void;
  readonly fail: (thrown: unknown) => void;
}

/** Short calls, a few in parallel. A request costs more than a small copy: what waits is sent together. */
export class CallQueue {
  readonly #rclone: CalledRclone;
  readonly #places: () => number;
  readonly #waiting: WaitingCall[] = [];
  #running = 0;
  /** How many longer calls run. */
  #beside = 0;
  #isStarting = false;
  /** How long a call takes, in milliseconds; `undefined` before the first one. */
  #msEach: number | undefined;

  /** @param places how many calls may run in parallel now */
  constructor(rclone: CalledRclone, places: () => number) {
    this.#rclone = rclone;
    this.#places = places;
  }

  /** Makes a call when its turn comes. Rejects with its own error. */
  add(call: QueuedCall): Promise<void> {
    const kind = `${call.name} ${JSON.stringify(call.config)}`;
    return new Promise((done, fail) => {
      this.#waiting.push({ ...call, kind, done, fail });
      if (this.#running === 0) this.#start();
      else this.#startSoon();
    });
  }

  /** Until a longer call ends, fewer short ones run in parallel. */
  async beside<T>(call: Promise<T>): Promise<T> {
    this.#beside++;
    try {
      return await call;
    } finally {
      this.#beside--;
      this.#startSoon();
    }
  }

  /** When all have been added that the end of others lets begin. */
  #startSoon(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    setImmediate(() => {
      this.#isStarting = false;
      this.#start();
    });
  }

  #start(): void {
    const places = Math.max(1, this.#places() - this.#beside);
    for (;;) {
      const free = places - this.#running;
      if (free <= 0 || this.#waiting.length === 0) return;
      const share = Math.ceil(this.#waiting.length / free);
      const inTime =
        this.#rclone.takesBatches !== true || this.#msEach === undefined
          ? 1
          : Math.max(1, Math.floor(TOGETHER_MS / this.#msEach));
      const most = Math.min(share, MOST_TOGETHER, inTime);
      // The next ones, all of one kind and stopped by one signal.
      const [first] = this.#waiting;
      const other = this.#waiting
        .slice(0, most)
        .findIndex(({ signal, kind }) => signal !== first?.signal || kind !== first.kind);
      void this.#send(this.#waiting.splice(0, other === -1 ? most : other));
    }
  }

  async #send(calls: readonly WaitingCall[]): Promise<void> {
    const [first] = calls;
    if (first === undefined) return;
    this.#running++;
    const { name, input, config } = first;
    // Of a group it is read once.
    const shared = Object.keys(config).length === 0 ? {} : { _config: config };
    const sinceMs = this.#rclone.nowMs();
    try {
      if (calls.length === 1) {
        await this.#rclone.call(name, { ...input, ...shared }, first);
        first.done();
      } else {
        // One after another, in one place.
        const inputs = calls.map((call) => ({ _path: call.name, ...call.input }));
        const batch = { concurrency: 1, inputs, ...shared };
        const answer = await this.#rclone.call('job/batch', batch, { signal: first.signal });
        const results = resultsOf(answer, calls.length, { name: 'job/batch' });
        for (const [at, { path, done, fail }] of calls.entries()) {
          const error = results[at]?.error;
          if (error === undefined) done();
          else fail(rcloneError(error, path));
        }
      }
    } catch (thrown) {
      for (const { fail, path } of calls)
        fail(calls.length === 1 ? thrown : ownError(thrown, path));
    }
    const tookMs = (this.#rclone.nowMs() - sinceMs) / calls.length;
    const before = this.#msEach ?? tookMs;
    // How much the last request weighs in the expected time of a call.
    this.#msEach = before + 0.3 * (tookMs - before);
    this.#running--;
    this.#startSoon();
  }
}

/** An error counts once: each file of a group that failed gets its own. */
function ownError(thrown: unknown, path: string): unknown {
  if (!(thrown instanceof SyncerError)) return thrown;
  const { code, message, advice } = thrown;
  return new SyncerError(code, `${path}: ${message}`, { path, advice, cause: thrown });
}
