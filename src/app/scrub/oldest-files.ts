/** A file that waits to be read. */
export interface DueFile<T> {
  readonly file: T;
  /** In bytes. */
  readonly size: number;
  /** When its content was last verified, in milliseconds since the epoch; 0: never. */
  readonly verifiedMs: number;
}

/** The `most` files that were not verified for the longest time, of any number. */
export class OldestFiles<T> {
  readonly #most: number;
  #files: DueFile<T>[] = [];
  #newestMs = Number.POSITIVE_INFINITY;
  /** Some files did not fit. */
  isCut = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(due: DueFile<T>): void {
    if (due.verifiedMs >= this.#newestMs) {
      this.isCut = true;
      return;
    }
    this.#files.push(due);
    if (this.#files.length >= this.#most * 2) this.#cut();
  }

  /** The files, the one that waits longest first; of those that wait equally long the largest, which fit least. */
  sorted(): readonly DueFile<T>[] {
    this.#cut();
    return this.#files;
  }

  #cut(): void {
    this.#files.sort((a, b) => a.verifiedMs - b.verifiedMs || b.size - a.size);
    if (this.#files.length <= this.#most) return;
    this.isCut = true;
    this.#files.length = this.#most;
    this.#newestMs = this.#files.at(-1)?.verifiedMs ?? Number.POSITIVE_INFINITY;
  }
}
