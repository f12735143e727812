/** The beginning of what a command writes. */
export class KeptOutput {
  readonly #max: number;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #missing = 0;

  /** @param max bytes that are kept */
  constructor(max: number) {
    this.#max = max;
  }

  push(chunk: Buffer): void {
    const part = chunk.subarray(0, this.#max - this.#size);
    if (part.length > 0) this.#chunks.push(part);
    this.#size += part.length;
    this.#missing += chunk.length - part.length;
  }

  /** What is kept. */
  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Says how much is missing; empty where nothing is. */
  missingNote(): string {
    return this.#missing === 0 ? '' : `\n[and ${this.#missing} more bytes]`;
  }
}
