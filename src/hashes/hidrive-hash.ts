import { createHash } from 'node:crypto';

const BLOCK = 4096;
const DIGEST_BYTES = 20;
/** Sums that are added up to one of the level above. */
const SUMS_PER_LEVEL = 256;

/** Sums of one level that are being added up. */
interface Level {
  sum: Buffer;
  count: number;
}

const noSum = (): Buffer => Buffer.alloc(DIGEST_BYTES);

/**
 * HiDrive's content hash: a tree over the SHA-1 sums of blocks of 4 KiB, the last one filled up with zeros. Each level
 * adds up 256 sums of the one below, hashed together with their places; blocks of zeros count as no sum.
 */
export class HidriveHash {
  readonly #levels: Level[] = [];
  readonly #block = Buffer.alloc(BLOCK);
  #filled = 0;
  #last = noSum();

  update(chunk: Uint8Array): this {
    let at = 0;
    while (at < chunk.length) {
      const taken = Math.min(BLOCK - this.#filled, chunk.length - at);
      this.#block.set(chunk.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled === BLOCK) this.#endBlock();
    }
    return this;
  }

  /** The 20 bytes of the hash; nothing may be passed afterwards. */
  digest(): Buffer {
    if (this.#filled > 0) {
      this.#block.fill(0, this.#filled);
      this.#endBlock();
    }
    for (let i = 0; i < this.#levels.length - 1; i++) {
      const level = this.#levels[i];
      if (level !== undefined && level.count > 0) this.#add(i + 1, take(level));
    }
    const top = this.#levels.at(-1);
    if (top === undefined) return noSum();
    return top.count > 1 ? top.sum : this.#last;
  }

  #endBlock(): void {
    const sum = isZero(this.#block) ? noSum() : createHash('sha1').update(this.#block).digest();
    this.#add(0, sum);
    this.#filled = 0;
  }

  #add(index: number, sum: Buffer): void {
    const level = this.#levels[index] ?? { sum: noSum(), count: 0 };
    this.#levels[index] = level;
    if (!isZero(sum)) {
      const place = Buffer.from([level.count]);
      addTo(level.sum, createHash('sha1').update(sum).update(place).digest());
    }
    level.count++;
    this.#last = sum;
    if (level.count === SUMS_PER_LEVEL) this.#add(index + 1, take(level));
  }
}

/** The sum of a level, which begins anew. */
function take(level: Level): Buffer {
  const { sum } = level;
  level.sum = noSum();
  level.count = 0;
  return sum;
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}

/** Adds numbers of 160 bits; what goes beyond is lost. */
function addTo(sum: Buffer, more: Buffer): void {
  let carry = 0;
  for (let i = DIGEST_BYTES - 1; i >= 0; i--) {
    const total = (sum[i] ?? 0) + (more[i] ?? 0) + carry;
    sum[i] = total & 0xff;
    carry = total >> 8;
  }
}
