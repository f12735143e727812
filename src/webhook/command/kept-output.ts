/** The beginning of what a command writes. */
export class KeptOutput {
  readonly #max: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #written = 0;

  /** @param max bytes that are kept */
  constructor(max: number) {
    this.#max = max;
  }

  push(chunk: Buffer): void {
    const part = chunk.subarray(0, this.#max - this.#size);
    if (part.length > 0) this.#chunks.push(part);
    this.#size += part.length;
    this.#written += chunk.length;
  }

  /** What is kept. */
  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Bytes written, kept or not. */
  get written(): number {
    return this.#written;
  }
}
