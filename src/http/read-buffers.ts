import { UsedAgain } from '../core/used-again.ts';

/** Into how large a buffer answers are read, in bytes. */
const USUAL = 64 * 1024;

/** Into how large buffers a long body is read, in bytes: fewer and larger pieces cost less. */
const LARGE = 256 * 1024;

/**
 * The buffer that the system writes what arrives into. Small pieces are copied out of it, so that it stays; one that is
 * well filled is given away, and the next piece goes into another.
 */
export class ReadBuffers {
  #buffer: Buffer | undefined;
  #isGiven = false;
  readonly #large = new UsedAgain(LARGE, 4);
  #isLong = false;

  /** The buffer for the next bytes. */
  next(): Buffer {
    if (this.#buffer === undefined || this.#isGiven) {
      this.#buffer = this.#isLong ? this.#large.take() : Buffer.allocUnsafeSlow(USUAL);
      this.#isGiven = false;
    }
    return this.#buffer;
  }

  /** Bytes of the buffer that are to stay when it is used again. */
  keep(buffer: Buffer, from: number, to: number): Buffer {
    const isFilled = to - from > buffer.length / 2;
    this.#isLong = isFilled;
    if (!isFilled || buffer !== this.#buffer) return Buffer.from(buffer.subarray(from, to));
    this.#isGiven = true;
    return buffer.subarray(from, to);
  }
}
