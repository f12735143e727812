import { READ_MS } from './key-table.ts';

/** Whether a key answers the question on the screen: not before the question has been there, whole, for `READ_MS`. */
export class ReadQuestion {
  readonly #nowMs: () => number;
  #shownMs: number | undefined;

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

  /** Takes a key; `false`: it comes too early to be an answer. */
  take(): boolean {
    return this.#shownMs !== undefined && this.#nowMs() - this.#shownMs >= READ_MS;
  }
}
