import { UsedAgain } from '../../kit/used-again.ts';

/** Of a request of the kernel, in bytes: through its page cache, and past it. */
const USUAL = 128 * 1024;
const LARGEST = 1024 * 1024;

/** So much memory is kept for later of each size, in bytes. */
const KEPT = 16 * 1024 * 1024;

/** Memory for what programs read and write; whoever has passed it on gives it back (`giveBack`). */
export class RequestBuffers {
  readonly #usual = new UsedAgain(USUAL, KEPT / USUAL);
  readonly #large = new UsedAgain(LARGEST, KEPT / LARGEST);

  /** `length` bytes, whatever is in them. */
  take(length: number): Buffer {
    // Of small ones the system has enough.
    if (length <= USUAL / 4 || length > LARGEST) return Buffer.allocUnsafeSlow(length);
    return (length <= USUAL ? this.#usual : this.#large).take().subarray(0, length);
  }
}
