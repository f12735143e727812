/**
 * The data in buffers of `size` bytes; the last may be shorter. Its chunks are released; release each buffer when it is
 * used up.
 *
 * @param most how many buffers are retained to be used again
 */
export async function* inBuffers(
  data: AsyncIterable<Buffer>,
  size: number,
  most: number,
): AsyncGenerator<Buffer> {
  const buffers = new BufferPool(size, most);
  let buffer = buffers.take();
  let filled = 0;
  for await (const chunk of data) {
    for (let from = 0; from < chunk.length; ) {
      const copied = chunk.copy(buffer, filled, from);
      filled += copied;
      from += copied;
      if (filled < size) continue;
      yield buffer;
      buffer = buffers.take();
      filled = 0;
    }
    releaseBuffer(chunk);
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

/** The pool of each lent buffer, by its memory. */
const lenders = new WeakMap<ArrayBufferLike, (buffer: Buffer) => void>();

/** Reuses large buffers of one size. The last user of a chunk from elsewhere may call `releaseBuffer`. */
export class BufferPool {
  /** Of a buffer, in bytes. */
  readonly size: number;
  readonly #most: number;
  readonly #free: Buffer[] = [];
  readonly #release = (buffer: Buffer) => {
    if (this.#free.length < this.#most) this.#free.push(buffer);
  };

  /**
   * @param size of a buffer, in bytes
   * @param most how many are retained
   */
  constructor(size: number, most: number) {
    this.size = size;
    this.#most = most;
  }

  /** A buffer, whatever is in it. */
  take(): Buffer {
    const used = this.#free.pop();
    const buffer = used ?? Buffer.allocUnsafeSlow(this.size);
    lenders.set(buffer.buffer, this.#release);
    return buffer;
  }
}

/** This chunk is no longer needed: its memory may be reused. To be called once, by its owner. */
export function releaseBuffer(chunk: Buffer): void {
  const { buffer } = chunk;
  const release = lenders.get(buffer);
  if (release === undefined) return;
  // Releasing it twice does no harm.
  lenders.delete(buffer);
  release(Buffer.from(buffer));
}

/** Bytes that come in pieces, kept as one: many small pieces take no more room than their bytes. */
export class ByteCollector {
  #room: Buffer = Buffer.alloc(0);
  #length = 0;

  /** How many there are. */
  get length(): number {
    return this.#length;
  }

  push(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#room.length) {
      const room = Buffer.allocUnsafeSlow(Math.max(length, this.#room.length * 2, 256));
      this.#room.copy(room, 0, 0, this.#length);
      this.#room = room;
    }
    this.#room.set(piece, this.#length);
    this.#length = length;
  }

  take(): Buffer {
    const bytes = this.#room.subarray(0, this.#length);
    this.#room = Buffer.alloc(0);
    this.#length = 0;
    return bytes;
  }
}
