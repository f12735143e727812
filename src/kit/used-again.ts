/** What takes each lent buffer back, by its memory. */
const lenders = new WeakMap<ArrayBufferLike, (buffer: Buffer) => void>();

/**
 * Large buffers of one size that are used again, so that a long transfer does not fill the memory with those it is done
 * with. Who gets a chunk of a body from elsewhere and was the last to need it calls `giveBack`; nobody has to.
 */
export class UsedAgain {
  /** Of a buffer, in bytes. */
  readonly size: number;
  readonly #most: number;
  readonly #free: Buffer[] = [];
  readonly #takeBack = (buffer: Buffer) => {
    if (this.#free.length < this.#most) this.#free.push(buffer);
  };

  /**
   * @param size of a buffer, in bytes
   * @param most so many are kept for later
   */
  constructor(size: number, most: number) {
    this.size = size;
    this.#most = most;
  }

  /** A buffer, whatever is in it. */
  take(): Buffer {
    const used = this.#free.pop();
    const buffer = used ?? Buffer.allocUnsafeSlow(this.size);
    lenders.set(buffer.buffer, this.#takeBack);
    return buffer;
  }
}

/** Nobody needs this chunk any more: its memory may get other content. To be called once, and only by its owner. */
export function giveBack(chunk: Buffer): void {
  const { buffer } = chunk;
  const takeBack = lenders.get(buffer);
  if (takeBack === undefined) return;
  // Whoever gives it back twice does no harm.
  lenders.delete(buffer);
  takeBack(Buffer.from(buffer));
}
