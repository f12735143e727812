const BITS = 160;
const SHIFT = 11;

/**
 * QuickXorHash as Microsoft describes it: byte `i` is combined by XOR into a ring of 160 bits, 11 bits further than
 * the byte before; the length, 64 bits with the low byte first, goes into the last eight bytes. Done bit by bit from
 * the description, so that it is independent of the program's own.
 */
export class QuickXor {
  // Bytes that lie 160 apart meet at the same bit position.
  readonly #folded = new Uint8Array(BITS);
  #length = 0;

  update(piece: Uint8Array): void {
    const folded = this.#folded;
    let at = this.#length % BITS;
    for (let index = 0; index < piece.length; index++) {
      folded[at] = (folded[at] ?? 0) ^ (piece[index] ?? 0);
      if (++at === BITS) at = 0;
    }
    this.#length += piece.length;
  }

  /** In base64; more may come afterwards. */
  digest(): string {
    const ring = new Uint8Array(BITS / 8);
    for (let index = 0; index < BITS; index++) {
      for (let bit = 0; bit < 8; bit++) {
        if ((((this.#folded[index] ?? 0) >> bit) & 1) === 0) continue;
        const at = (SHIFT * index + bit) % BITS;
        ring[at >> 3] = (ring[at >> 3] ?? 0) ^ (1 << (at & 7));
      }
    }
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(this.#length));
    for (const [index, byte] of length.entries()) {
      ring[12 + index] = (ring[12 + index] ?? 0) ^ byte;
    }
    return Buffer.from(ring).toString('base64');
  }
}
