/** Passes bytes from a writer to a reader, which holds the writer back. */
export class ByteChannel implements AsyncIterable<Buffer> {
  readonly #chunks: Buffer[] = [];
  #closed = false;
  #wakeReader: (() => void) | undefined;
  #releaseWriter: (() => void) | undefined;

  /** Resolves when the chunk was read; `undefined` if the reader has stopped. */
  push(chunk: Buffer): Promise<void> | undefined {
    if (this.#closed) return undefined;
    this.#chunks.push(chunk);
    this.#wakeReader?.();
    return new Promise((resolve) => {
      this.#releaseWriter = resolve;
    });
  }

  /** Ends it, from either side. */
  close(): void {
    this.#closed = true;
    this.#wakeReader?.();
    this.#releaseWriter?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      while (true) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          yield chunk;
          if (this.#chunks.length === 0) this.#releaseWriter?.();
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
}
