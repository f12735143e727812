import { type ErrorCode, hasCode, SyncerError, toSyncerError } from '../core/errors.ts';
import type { Emit } from '../core/events.ts';
import type { Attempted, Doing } from '../core/reason.ts';

const FORBIDS_RETRY: readonly ErrorCode[] = ['no-retry', 'name-too-long', 'unreadable'];

/**
 * Counts the errors of one attempt and determines which of them decides the exit code. The precedence is that of
 * rclone: the first fatal one, then the last of the others, the last of listings, the last that forbids a retry.
 */
export class ErrorTally {
  readonly #emit: Emit;
  readonly #onStop: (error: SyncerError) => void;
  #count = 0;
  #rootFailed = false;
  #retry = false;
  #ends = false;
  #fatal: SyncerError | undefined;
  #last: SyncerError | undefined;
  #lastWithoutRetry: SyncerError | undefined;
  #lastListing: SyncerError | undefined;

  /** `onStop` is called with the first error after which nothing else can succeed. */
  constructor(emit: Emit, onStop: (error: SyncerError) => void) {
    this.#emit = emit;
    this.#onStop = onStop;
  }

  get count(): number {
    return this.#count;
  }

  /** Another attempt may succeed. */
  get worthRetrying(): boolean {
    return this.#retry && this.#fatal === undefined && !this.#ends;
  }

  /** The error that decides the exit code; `undefined` if there was none. */
  get deciding(): SyncerError | undefined {
    return this.#fatal ?? this.#last ?? this.#lastListing ?? this.#lastWithoutRetry;
  }

  /** Remembers the errors so far: the returned function forgets all later ones, unless one has ended the run. */
  mark(): () => void {
    const [count, retry, last] = [this.#count, this.#retry, this.#last];
    const [withoutRetry, listing] = [this.#lastWithoutRetry, this.#lastListing];
    return () => {
      this.#count = count;
      this.#retry = retry;
      this.#last = last;
      this.#lastWithoutRetry = withoutRetry;
      this.#lastListing = listing;
    };
  }

  /** No other attempt follows. */
  endRetries(): void {
    this.#ends = true;
  }

  /** Counts an error and logs it. */
  add(thrown: unknown, path: string | undefined, doing?: Doing | Attempted): void {
    const error = this.#register(thrown, path, doing);
    if (error === undefined) return;
    if (FORBIDS_RETRY.includes(error.code)) this.#lastWithoutRetry = error;
    else this.#last = error;
  }

  /** As `add` for an error that ends the run, but running work may be finished. `copied`: the file that was not. */
  addLast(error: SyncerError, copied?: string): void {
    const doing = copied === undefined ? undefined : 'copy';
    this.#register(error, copied, doing, { mayFinish: true });
  }

  /** Counts a listing that failed: the content of the directory is unknown. `isRoot`: it was the first of its side. */
  addListing(
    thrown: unknown,
    path: string,
    doing: Doing | Attempted | undefined,
    isRoot = false,
  ): void {
    if (isRoot) this.#rootFailed = true;
    // A path of the user that does not exist is permanent; anything else that is missing existed a moment ago.
    const isNamed = isRoot && hasCode(thrown, 'directory-not-found', 'file-not-found');
    const error = this.#register(thrown, path, doing, { isNamed, isRoot });
    if (error !== undefined) this.#lastListing = error;
  }

  /**
   * Logs that nothing is deleted because of the errors so far. If those were unreadable directories only, this is the
   * error of the run, as in rclone (exit code 1).
   */
  refuseDeletes(what: 'files' | 'directories', where: string): void {
    this.#emit({
      type: 'log',
      level: 'error',
      path: where,
      code: 'not-deleting',
      fields: { what },
    });
    const unread = this.#lastListing;
    if (unread === undefined || this.#rootFailed || this.#last !== undefined) return;
    const { path, advice } = unread;
    const text = `not deleting ${what} as there were IO errors: ${unread.message}`;
    this.#last = new SyncerError('no-deletes', text, { path, advice });
  }

  #register(
    thrown: unknown,
    path: string | undefined,
    doing: Doing | Attempted | undefined,
    how: { mayFinish?: boolean; isRoot?: boolean; isNamed?: boolean } = {},
  ): SyncerError | undefined {
    const { mayFinish = false, isRoot = path === undefined, isNamed = isRoot } = how;
    const error = toSyncerError(thrown);
    if (this.#fatal !== undefined && error.stop) return undefined;
    this.#count++;
    if (error.retry || (error.outdated && !isNamed)) this.#retry = true;
    // The last line of the run says it, too, and there is no path to add.
    const isOfRemote = isRoot && error.code === 'config' && error.path === undefined;
    const about = path === undefined ? {} : { path };
    if (!isOfRemote) {
      this.#emit({
        type: 'log',
        level: 'error',
        ...about,
        code: 'failed',
        fields: { ...(typeof doing === 'string' ? { doing } : doing), error },
      });
    }
    this.#emit({ type: 'error', error, ...about });
    if (error.stop) {
      this.#fatal = error;
      if (!mayFinish) this.#onStop(error);
    }
    return error;
  }
}
