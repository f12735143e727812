/** Bytes from one who writes to one who reads; the writer is held back while the reader is behind. */
export class ByteChannel implements AsyncIterable<Buffer> {
  readonly #chunks: Buffer[] = [];
  #closed = false;
  #wakeReader: (() => void) | undefined;
  #releaseWriter: (() => void) | undefined;

  /** Resolves when the chunk was taken; `undefined` where nobody reads any more. */
  push(chunk: Buffer): Promise<void> | undefined {
    if (this.#closed) return undefined;
    this.#chunks.push(chunk);
    this.#wakeReader?.();
    return new Promise((resolve) => {
      this.#releaseWriter = resolve;
    });
  }

  /** No more will come, or no more is wanted. */
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
