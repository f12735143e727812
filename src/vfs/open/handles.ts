import { SyncerError } from '../../core/errors.ts';

/** What is open, by number. Numbers are not used again. */
export class Handles<T> {
  readonly #open = new Map<number, T>();
  #last = 0;

  add(opened: T): number {
    this.#open.set(++this.#last, opened);
    return this.#last;
  }

  /** Throws `file-not-found` where nothing is open under the number. */
  get(handle: number): T {
    const opened = this.#open.get(handle);
    if (opened !== undefined) return opened;
    throw new SyncerError('file-not-found', `handle ${handle} is not open`);
  }

  /** What was open under the number, and is not any more. */
  take(handle: number): T | undefined {
    const opened = this.#open.get(handle);
    this.#open.delete(handle);
    return opened;
  }
}
