import { setImmediate as turn } from 'node:timers/promises';
import type { Browser } from './browser.ts';

/** How long work goes on before keys have their turn, in milliseconds. */
const SLICE_MS = 8;

/** The pause before what follows a changing tree is computed again: times that it took last. */
const PAUSE_FACTOR = 10;

/** What is computed over the whole tree between two keys; the last result is shown until the next one is there. */
export class SlicedResult<T> {
  readonly #browser: Browser;
  readonly #done: (value: T) => void;
  value: T | undefined;
  isRunning = false;
  #key: string | undefined;
  #version = -1;
  #nextMs = 0;
  #ending = new AbortController();

  constructor(browser: Browser, done: (value: T) => void = () => {}) {
    this.#browser = browser;
    this.#done = done;
  }

  /** Computes again for another key, immediately, and after a change of the tree, when it is due. */
  follow(key: string, work: () => Generator<void, T>): void {
    const { tree } = this.#browser;
    const isSame = key === this.#key;
    const isDue = !this.isRunning && this.#browser.nowMs() >= this.#nextMs;
    if (isSame && (tree.version === this.#version || !isDue)) return;
    this.stop();
    this.#key = key;
    this.#version = tree.version;
    this.isRunning = true;
    this.#ending = new AbortController();
    this.#run(work(), this.#ending.signal).catch(() => undefined);
  }

  stop(): void {
    this.isRunning = false;
    this.#ending.abort(new Error('not wanted any more'));
  }

  async #run(work: Generator<void, T>, signal: AbortSignal): Promise<void> {
    const startedMs = this.#browser.nowMs();
    // The frame of the key is drawn first.
    await turn();
    signal.throwIfAborted();
    for (let until = performance.now() + SLICE_MS; ; ) {
      const { done, value } = work.next();
      if (done === true) {
        this.value = value;
        this.isRunning = false;
        this.#done(value);
        break;
      }
      if (performance.now() < until) continue;
      await turn();
      signal.throwIfAborted();
      until = performance.now() + SLICE_MS;
    }
    const tookMs = this.#browser.nowMs() - startedMs;
    this.#nextMs = this.#browser.nowMs() + Math.max(1000, PAUSE_FACTOR * tookMs);
    this.#browser.changed();
  }
}
