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
  /** The errors so far that `mark` remembers: the last one of each kind. */
  #now: {
    count: number;
    retry: boolean;
    last?: SyncerError;
    withoutRetry?: SyncerError;
    listing?: SyncerError;
  } = { count: 0, retry: false };
  #rootFailed = false;
  #ends = false;
  #fatal: SyncerError | undefined;

  /** `onStop` is called with the first error after which nothing else can succeed. */
  constructor(emit: Emit, onStop: (error: SyncerError) => void) {
    this.#emit = emit;
    this.#onStop = onStop;
  }

  get count(): number {
    return this.#now.count;
  }

  /** Another attempt may succeed. */
  get worthRetrying(): boolean {
    return this.#now.retry && this.#fatal === undefined && !this.#ends;
  }

  /** The error that decides the exit code; `undefined` if there was none. */
  get deciding(): SyncerError | undefined {
    const { last, listing, withoutRetry } = this.#now;
    return this.#fatal ?? last ?? listing ?? withoutRetry;
  }

  /** Remembers the errors so far: the returned function forgets all later ones, unless one has ended the run. */
  mark(): () => void {
    const marked = { ...this.#now };
    return () => {
      this.#now = { ...marked };
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
    if (FORBIDS_RETRY.includes(error.code)) this.#now.withoutRetry = error;
    else this.#now.last = error;
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
    if (error !== undefined) this.#now.listing = error;
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
    const { listing: unread, last } = this.#now;
    if (unread === undefined || this.#rootFailed || last !== undefined) return;
    const { path, advice } = unread;
    const text = `not deleting ${what} as there were IO errors: ${unread.message}`;
    this.#now.last = new SyncerError('no-deletes', text, { path, advice });
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
    this.#now.count++;
    if (error.retry || (error.outdated && !isNamed)) this.#now.retry = true;
    // The last line of the run says it, too, and there is no path to add.
    const isOfRemote = isRoot && error.code === 'config' && error.path === undefined;
    const about = path === undefined ? {} : { path };
    const fields = { ...(typeof doing === 'string' ? { doing } : doing), error };
    if (!isOfRemote) this.#emit({ type: 'log', level: 'error', ...about, code: 'failed', fields });
    this.#emit({ type: 'error', error, ...about });
    if (error.stop) {
      this.#fatal = error;
      if (!mayFinish) this.#onStop(error);
    }
    return error;
  }
}
