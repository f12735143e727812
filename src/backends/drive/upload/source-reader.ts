import { bodyChunks } from '../../../core/body.ts';
import type { Op, WriteSource } from '../../../core/remote.ts';
import type { ContentCheck } from '../../../hashes/content-check.ts';
import { giveBack } from '../../../kit/used-again.ts';

/** Gives the bytes of a source piece by piece; every byte passes the check, in order. */
export class SourceReader {
  readonly #chunks: AsyncGenerator<Buffer>;
  readonly #check: ContentCheck;
  #left: Buffer = Buffer.alloc(0);

  private constructor(chunks: AsyncGenerator<Buffer>, check: ContentCheck) {
    this.#chunks = chunks;
    this.#check = check;
  }

  /** Opens the source, whole. */
  static async open(source: WriteSource, check: ContentCheck, op: Op): Promise<SourceReader> {
    return new SourceReader(bodyChunks(await source.open(undefined, op), op.signal), check);
  }

  /** The next `size` bytes; fewer where the source ends. */
  async take(size: number): Promise<Buffer> {
    if (await this.isAtEnd()) return Buffer.alloc(0);
    if (this.#left.length >= size) return this.#cut(size);
    const target = Buffer.allocUnsafeSlow(size);
    let have = 0;
    while (have < size && !(await this.isAtEnd())) {
      const chunk = this.#left;
      have += this.#cut(size - have).copy(target, have);
      if (this.#left.length === 0) giveBack(chunk);
    }
    return target.subarray(0, have);
  }

  /** Whether there is nothing more to take. Throws `corrupted` where there is more than was promised. */
  async isAtEnd(): Promise<boolean> {
    while (this.#left.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return true;
      this.#check.update(next.value);
      this.#left = next.value;
    }
    return false;
  }

  async close(): Promise<void> {
    await this.#chunks.return(undefined);
  }

  #cut(size: number): Buffer {
    const piece = this.#left.subarray(0, size);
    this.#left = this.#left.subarray(piece.length);
    return piece;
  }
}
