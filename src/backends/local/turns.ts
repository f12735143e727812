/** How long synchronous work may hold up everything else, in milliseconds. */
const LONGEST = 4;

/**
 * Lets synchronous work come in short bursts. Synchronous calls are several times quicker on small files than
 * asynchronous ones, but a program that makes nothing else would never read from the network.
 */
export class Turns {
  #since: number | undefined;
  /** Those who wait for the next turn of the event loop; one promise for all. */
  #next: PromiseWithResolvers<void> | undefined;

  /**
   * To be asked before each piece of synchronous work. Gives something to wait for when this turn of the event loop is
   * full.
   */
  take(): Promise<void> | undefined {
    const now = performance.now();
    if (this.#since === undefined) {
      this.#since = now;
      setImmediate(() => {
        this.#since = undefined;
        this.#next?.resolve();
        this.#next = undefined;
      });
    } else if (now - this.#since > LONGEST) {
      this.#next ??= Promise.withResolvers();
      return this.#next.promise;
    }
    return undefined;
  }
}
