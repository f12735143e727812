import { UsedAgain } from '../kit/used-again.ts';

/** Size of the buffer for responses, in bytes. */
const USUAL = 64 * 1024;

/** Size of the buffers for a long body, in bytes: fewer and larger pieces cost less. */
const LARGE = 256 * 1024;

/** How many large buffers are kept. */
const LARGE_KEPT = 32;

/** Buffers for all connections of a client. */
export interface SharedBuffers {
  /** A reader must finish with it before the next one reads. */
  readonly usual: Buffer;
  readonly larges: UsedAgain;
}

/** New buffers for a client. */
export function sharedBuffers(): SharedBuffers {
  return { usual: Buffer.allocUnsafeSlow(USUAL), larges: new UsedAgain(LARGE, LARGE_KEPT) };
}

/**
 * The buffer that the system writes into. Bytes are copied out of the usual one; a long body comes in large ones,
 * which are passed on when well filled.
 */
export class ReadBuffers {
  readonly #usual: Buffer;
  readonly #larges: UsedAgain;
  #large: Buffer | undefined;
  #isLong = false;

  /** @param shared by all connections of a client */
  constructor({ usual, larges }: SharedBuffers) {
    this.#usual = usual;
    this.#larges = larges;
  }

  next(): Buffer {
    if (!this.#isLong) return this.#usual;
    this.#large ??= this.#larges.take();
    return this.#large;
  }

  /** Bytes of the buffer to keep when it is reused. */
  keep(buffer: Buffer, from: number, to: number): Buffer {
    const isFilled = to - from > buffer.length / 2;
    if (isFilled) this.#isLong = true;
    if (!isFilled || buffer !== this.#large) return Buffer.from(buffer.subarray(from, to));
    this.#large = undefined;
    return buffer.subarray(from, to);
  }

  /** The response is complete. Call it while bytes are read: `next` is called right after that. */
  rest(): void {
    this.#isLong = false;
    this.#large = undefined;
  }
}
