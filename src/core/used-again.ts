/** What takes each lent buffer back, by its memory. */
const lenders = new WeakMap<ArrayBufferLike, (buffer: Buffer) => void>();

/** Reuses large buffers of one size. The last user of a chunk from elsewhere may call `giveBack`. */
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
   * @param most how many are kept
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

/** This chunk is no longer needed: its memory may be reused. To be called once, by its owner. */
export function giveBack(chunk: Buffer): void {
  const { buffer } = chunk;
  const takeBack = lenders.get(buffer);
  if (takeBack === undefined) return;
  // Giving it back twice does no harm.
  lenders.delete(buffer);
  takeBack(Buffer.from(buffer));
}

/** A function that computes its value at the first call and returns it at every later one. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
