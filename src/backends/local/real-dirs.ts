/** So long a directory counts as one after it was looked at, in milliseconds. */
const GOOD_FOR_MS = 1000;
/** So many are kept. */
const MOST = 4096;

/** Directories that were just now no symbolic links, so that not every file in them asks again. */
export class RealDirs {
  readonly #clock: { monotonic(): number };
  readonly #known = new Set<string>();
  #since = 0;

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  has(dir: string): boolean {
    if (this.#known.size === 0) return false;
    if (this.#clock.monotonic() - this.#since > GOOD_FOR_MS) this.clear();
    return this.#known.has(dir);
  }

  add(dir: string): void {
    if (this.#known.size >= MOST) this.clear();
    if (this.#known.size === 0) this.#since = this.#clock.monotonic();
    this.#known.add(dir);
  }

  /** Something that may have been a directory is not any more. */
  clear(): void {
    this.#known.clear();
  }
}
