/** Passes bytes from writers to a reader, which holds the writers back. */
export class ByteChannel implements AsyncIterable<Buffer> {
  readonly #chunks: Buffer[] = [];
  #closed = false;
  #wakeReader: (() => void) | undefined;
  readonly #heldWriters: (() => void)[] = [];

  /** Resolves when the chunk was read; `undefined` if the reader has stopped. */
  push(chunk: Buffer): Promise<void> | undefined {
    if (this.#closed) return undefined;
    this.#chunks.push(chunk);
    this.#wakeReader?.();
    return new Promise((resolve) => {
      this.#heldWriters.push(resolve);
    });
  }

  /** Ends it, from either side. */
  close(): void {
    this.#closed = true;
    this.#wakeReader?.();
    this.#releaseWriters();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      while (true) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          yield chunk;
          if (this.#chunks.length === 0) this.#releaseWriters();
        } else if (this.#closed) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wakeReader = resolve;
          });
        }
      }
    } finally {
      this.close();
    }
  }

  #releaseWriters(): void {
    for (const release of this.#heldWriters.splice(0)) release();
  }
}
