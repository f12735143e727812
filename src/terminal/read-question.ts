import type { Key } from './key.ts';
import { keyName, READ_MS } from './key-table.ts';

/** How often the time is noted while a question is open, and how much later it may be, in milliseconds. */
const BEAT_MS = 50;
const LATE_MS = 100;

/**
 * Whether a key answers the question on the screen: only once the question has been there, whole, for `READ_MS`, and no
 * key was typed for as long. What is typed ahead is no answer, nor is a key that is held down. A process that was stopped
 * or busy cannot know when a key was typed: its question counts as shown when it continues.
 * A key that counts only alone waits here until no other has come for as long.
 */
export class ReadQuestion {
  readonly #nowMs: () => number;
  #shownMs: number | undefined;
  #typedMs = Number.NEGATIVE_INFINITY;
  #textMs = Number.NEGATIVE_INFINITY;
  /** No other key was typed for a moment before the last one, whether or not a question was there. */
  isQuiet = false;
  #beatMs = 0;
  #beats: NodeJS.Timeout | undefined;
  #held: { readonly name: string; readonly timer: NodeJS.Timeout } | undefined;

  /** @param nowMs milliseconds from any start */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** The question is on the screen, whole. */
  show(): void {
    if (this.#shownMs !== undefined) return;
    this.#shownMs = this.#beatMs = this.#nowMs();
    this.#beats = setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  /** It is no longer there, or no longer whole. */
  hide(): void {
    this.#shownMs = undefined;
    clearInterval(this.#beats);
  }

  /**
   * Takes a key, of any kind; `false`: it comes too early to be an answer.
   *
   * @param readMs when it was read; default: now
   */
  take(readMs = this.#nowMs()): boolean {
    this.#beat();
    const quietSinceMs = Math.max(this.#shownMs ?? readMs, this.#typedMs);
    this.isQuiet = readMs - this.#textMs >= READ_MS;
    this.#typedMs = this.#textMs = readMs;
    return readMs - quietSinceMs >= READ_MS;
  }

  /** What was typed until now was meant for this screen: what comes next is not behind it. */
  forget(): void {
    this.#textMs = Number.NEGATIVE_INFINITY;
  }

  /** Calls `press` with the key in a moment, unless it is dropped. */
  hold(key: Key, press: (key: Key) => void): void {
    const timer = setTimeout(() => {
      this.#held = undefined;
      press(key);
    }, READ_MS).unref();
    this.#held = { name: keyName(key), timer };
  }

  /** Takes the key back; its name, or `undefined` if none waits. */
  drop(): string | undefined {
    const held = this.#held;
    clearTimeout(held?.timer);
    this.#held = undefined;
    return held?.name;
  }

  #beat(): void {
    const nowMs = this.#nowMs();
    if (this.#shownMs !== undefined && nowMs - this.#beatMs > BEAT_MS + LATE_MS) {
      this.#shownMs = nowMs;
    }
    this.#beatMs = nowMs;
  }
}
