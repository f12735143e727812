/** The end of a stream of bytes. */
export class OutputTail {
  readonly #max: number;
  #chunks: Buffer[] = [];
  #size = 0;

  /** @param max bytes that are kept */
  constructor(max: number) {
    this.#max = max;
  }

  push(chunk: Buffer): void {
    // A small chunk may be a view of a large piece of memory.
    this.#chunks.push(chunk.length < 4096 ? Buffer.from(chunk) : chunk);
    this.#size += chunk.length;
    if (this.#size <= 2 * this.#max) return;
    this.#chunks = [this.bytes()];
    this.#size = this.#max;
  }

  /** What is kept. */
  bytes(): Buffer {
    const all = Buffer.concat(this.#chunks);
    return all.length > this.#max ? Buffer.from(all.subarray(-this.#max)) : all;
  }
}
