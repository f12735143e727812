/** What a server is doing: requests that are being answered, open connections, and whether it is stopping. */
export class Activity {
  #busy = 0;
  #open = 0;
  #stopping = false;

  /** Requests whose head was read and whose answer was not sent whole yet. */
  get busy(): number {
    return this.#busy;
  }

  /** Connections that are open. */
  get open(): number {
    return this.#open;
  }

  /** Connections close after their answer. */
  get stopping(): boolean {
    return this.#stopping;
  }

  begin(): void {
    this.#busy++;
  }

  end(): void {
    this.#busy--;
  }

  opened(): void {
    this.#open++;
  }

  closed(): void {
    this.#open--;
  }

  stop(): void {
    this.#stopping = true;
  }
}
