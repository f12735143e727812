/** Every byte is XORed in 11 bits further round a ring of 160; after 160 bytes the places repeat. */
const RING_BITS = 160;
const SHIFT = 11;
const PERIOD = 160;
const DIGEST_BYTES = RING_BITS / 8;

/** The hash of files on OneDrive for Business and SharePoint, as Microsoft publishes it. */
export class QuickXorHash {
  /** What the bytes at each place of the period make together; folded into the ring only at the end. */
  readonly #cells = new Uint8Array(PERIOD);
  readonly #words = new Uint32Array(this.#cells.buffer);
  #length = 0;

  update(chunk: Uint8Array): this {
    let at = 0;
    const place = this.#length % PERIOD;
    const head = Math.min((PERIOD - place) % PERIOD, chunk.length);
    for (; at < head; at++) this.#xor(place + at, chunk[at] ?? 0);
    const wholePeriods = Math.floor((chunk.length - at) / PERIOD) * PERIOD;
    this.#updateWords(aligned(chunk.subarray(at, at + wholePeriods)));
    at += wholePeriods;
    for (let cell = 0; at < chunk.length; at++, cell++) this.#xor(cell, chunk[at] ?? 0);
    this.#length += chunk.length;
    return this;
  }

  digest(): Buffer {
    const ring = Buffer.alloc(DIGEST_BYTES);
    for (let cell = 0; cell < PERIOD; cell++) {
      const bit = (cell * SHIFT) % RING_BITS;
      const spread = (this.#cells[cell] ?? 0) << (bit % 8);
      const byte = bit >> 3;
      ring[byte] = (ring[byte] ?? 0) ^ (spread & 0xff);
      const following = (byte + 1) % DIGEST_BYTES;
      ring[following] = (ring[following] ?? 0) ^ (spread >> 8);
    }
    const lengthAt = DIGEST_BYTES - 8;
    ring.writeBigUInt64LE(ring.readBigUInt64LE(lengthAt) ^ BigInt(this.#length), lengthAt);
    return ring;
  }

  #xor(cell: number, byte: number): void {
    this.#cells[cell] = (this.#cells[cell] ?? 0) ^ byte;
  }

  #updateWords(bytes: Uint8Array): void {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const cells = this.#words;
    const perPeriod = cells.length;
    for (let from = 0; from < words.length; from += perPeriod) {
      for (let i = 0; i < perPeriod; i++) cells[i] = (cells[i] ?? 0) ^ (words[from + i] ?? 0);
    }
  }
}

/** The same bytes at an address that 32-bit words can be read from. */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
}
