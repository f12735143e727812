import { READ_MS } from './key-table.ts';

/**
 * Whether a key answers the question on the screen: only once the question has been there, whole, for `READ_MS`, and no
 * key was typed for as long. What is typed ahead is no answer, nor is a key that is held down.
 */
export class ReadQuestion {
  readonly #nowMs: () => number;
  #shownMs: number | undefined;
  #typedMs = Number.NEGATIVE_INFINITY;

  /** @param nowMs milliseconds from any start */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The question is on the screen, whole. */
  show(): void {
    this.#shownMs ??= this.#nowMs();
  }

  /** It is no longer there, or no longer whole. */
  hide(): void {
    this.#shownMs = undefined;
  }

  /** Takes a key, of any kind; `false`: it comes too early to be an answer. */
  take(): boolean {
    const nowMs = this.#nowMs();
    const quietSinceMs = Math.max(this.#shownMs ?? nowMs, this.#typedMs);
    this.#typedMs = nowMs;
    return nowMs - quietSinceMs >= READ_MS;
  }
}
