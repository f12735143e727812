/** So many bytes wait for whoever reads them before a writer has to wait. */
const FULL = 4 * 1024 * 1024;

/** Passes bytes from one who writes to one who reads them, at the speed of the slower. */
export class ByteQueue {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #hasEnded = false;
  #reader: (() => void) | undefined;
  #writer: (() => void) | undefined;

  /** Resolves when more may be written. The bytes belong to the queue from now on. */
  push(chunk: Buffer): Promise<void> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#reader?.();
    if (this.#bytes < FULL || this.#hasEnded) return Promise.resolve();
    return new Promise((resolve) => {
      this.#writer = resolve;
    });
  }

  /** Nothing more comes, or nobody reads any more. */
  end(): void {
    this.#hasEnded = true;
    this.#reader?.();
    this.#writer?.();
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        this.#bytes -= chunk.length;
        if (this.#bytes < FULL) this.#writer?.();
        yield chunk;
      } else if (this.#hasEnded) {
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#reader = resolve;
        });
      }
    }
  }
}
