/** How many requests are being answered, and whether the server is about to stop. */
export class Activity {
  #busy = 0;
  #stopping = false;

  /** Requests whose head was read and whose answer was not sent whole yet. */
  get busy(): number {
    return this.#busy;
  }

  /** No connection is to go on after its answer. */
  get stopping(): boolean {
    return this.#stopping;
  }

  begin(): void {
    this.#busy++;
  }

  end(): void {
    this.#busy--;
  }

  stop(): void {
    this.#stopping = true;
  }
}
