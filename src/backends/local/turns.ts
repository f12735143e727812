/** How long synchronous work may block everything else, in milliseconds. */
const LONGEST = 4;

/**
 * Lets synchronous work run in short bursts: on small files it is several times faster than asynchronous work, but
 * blocks the network.
 */
export class Turns {
  #since: number | undefined;
  /** Resolves in the next turn of the event loop; shared by all that wait. */
  #next: PromiseWithResolvers<void> | undefined;

  /** Call before each piece of synchronous work. Returns a promise to wait for if this turn of the event loop is full. */
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
