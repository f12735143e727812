/** Bytes of a block, and of the hash. */
const BLOCK = 64;
const ROUNDS = 10;
/** Bytes at the end of the padding that tell the length. */
const LENGTH_BYTES = 32;

/** The half-byte boxes that the S-box is made of (ISO/IEC 10118-3). */
const E = [0x1, 0xb, 0x9, 0xc, 0xd, 0x6, 0xf, 0x3, 0xe, 0x8, 0x7, 0x4, 0xa, 0x2, 0x5, 0x0];
const R = [0x7, 0xc, 0xb, 0xd, 0xe, 0x4, 0x9, 0xf, 0x6, 0x3, 0x8, 0xa, 0x2, 0x5, 0x1, 0x0];
/** The first row of the diffusion matrix. */
const ROW = [1, 1, 4, 1, 8, 5, 2, 9];
const POLYNOMIAL = 0x11d;

/**
 * Everything a round needs: for each byte of the first four columns its S-box and its diffusion at once, in two halves
 * of 32 bits. Those of the other columns are the same with the halves exchanged.
 */
interface Tables {
  readonly high: Int32Array;
  readonly low: Int32Array;
  /** Two words for each round. */
  readonly constants: Int32Array;
}

/** The hash Whirlpool in its last version (ISO/IEC 10118-3:2004). */
export class Whirlpool {
  static #made: Tables | undefined;
  readonly #tables = Whirlpool.#once();
  readonly #state = new Int32Array(16);
  readonly #words = new Int32Array(16);
  #key = new Int32Array(16);
  #row = new Int32Array(16);
  #next = new Int32Array(16);
  readonly #block = Buffer.alloc(BLOCK);
  #filled = 0;
  #length = 0n;

  update(chunk: Uint8Array): this {
    this.#length += BigInt(chunk.length);
    let at = 0;
    while (at < chunk.length) {
      const taken = Math.min(BLOCK - this.#filled, chunk.length - at);
      this.#block.set(chunk.subarray(at, at + taken), this.#filled);
      this.#filled += taken;
      at += taken;
      if (this.#filled === BLOCK) this.#takeBlock();
    }
    return this;
  }

  /** The 64 bytes of the hash; nothing may be passed afterwards. */
  digest(): Buffer {
    const bits = this.#length * 8n;
    this.#block.fill(0, this.#filled);
    this.#block[this.#filled++] = 0x80;
    if (this.#filled > BLOCK - LENGTH_BYTES) {
      this.#takeBlock();
      this.#block.fill(0);
    }
    this.#block.writeBigUInt64BE(bits & 0xffff_ffff_ffff_ffffn, BLOCK - 8);
    this.#block.writeBigUInt64BE(bits >> 64n, BLOCK - 16);
    this.#takeBlock();
    const hash = Buffer.alloc(BLOCK);
    this.#state.forEach((word, i) => {
      hash.writeInt32BE(word, i * 4);
    });
    return hash;
  }

  /** The tables, made for the first hasher. */
  static #once(): Tables {
    Whirlpool.#made ??= makeTables();
    return Whirlpool.#made;
  }

  /** Miyaguchi-Preneel: the cipher of the block under the state, XORed with both. */
  #takeBlock(): void {
    const { high, low, constants } = this.#tables;
    const state = this.#state;
    const words = this.#words;
    let key = this.#key;
    let row = this.#row;
    let next = this.#next;
    for (let i = 0; i < 16; i++) {
      const word = this.#block.readInt32BE(i * 4);
      words[i] = word;
      key[i] = state[i] as number;
      row[i] = word ^ (state[i] as number);
    }
    for (let round = 0; round < ROUNDS; round++) {
      mix(key, next, high, low);
      [key, next] = [next, key];
      key[0] = (key[0] as number) ^ (constants[2 * round] as number);
      key[1] = (key[1] as number) ^ (constants[2 * round + 1] as number);
      mix(row, next, high, low);
      [row, next] = [next, row];
      for (let i = 0; i < 16; i++) row[i] = (row[i] as number) ^ (key[i] as number);
    }
    for (let i = 0; i < 16; i++) {
      state[i] = (state[i] as number) ^ (row[i] as number) ^ (words[i] as number);
    }
    this.#key = key;
    this.#row = row;
    this.#next = next;
    this.#filled = 0;
  }
}

/** S-box, shifted columns and mixed rows of a matrix of 8 rows, each in two words. */
function mix(from: Int32Array, to: Int32Array, high: Int32Array, low: Int32Array): void {
  for (let i = 0; i < 16; i += 2) {
    const a = (from[i] as number) >>> 24;
    const b = 256 + (((from[(i - 2) & 15] as number) >>> 16) & 255);
    const c = 512 + (((from[(i - 4) & 15] as number) >>> 8) & 255);
    const d = 768 + ((from[(i - 6) & 15] as number) & 255);
    const e = (from[(i - 7) & 15] as number) >>> 24;
    const f = 256 + (((from[(i - 9) & 15] as number) >>> 16) & 255);
    const g = 512 + (((from[(i - 11) & 15] as number) >>> 8) & 255);
    const h = 768 + ((from[(i - 13) & 15] as number) & 255);
    to[i] =
      (high[a] as number) ^
      (high[b] as number) ^
      (high[c] as number) ^
      (high[d] as number) ^
      (low[e] as number) ^
      (low[f] as number) ^
      (low[g] as number) ^
      (low[h] as number);
    to[i + 1] =
      (low[a] as number) ^
      (low[b] as number) ^
      (low[c] as number) ^
      (low[d] as number) ^
      (high[e] as number) ^
      (high[f] as number) ^
      (high[g] as number) ^
      (high[h] as number);
  }
}

function makeTables(): Tables {
  const box = sBox();
  const high = new Int32Array(4 * 256);
  const low = new Int32Array(4 * 256);
  for (let byte = 0; byte < 256; byte++) {
    const row = ROW.map((factor) => multiply(box[byte] ?? 0, factor));
    for (let column = 0; column < 4; column++) {
      const turned = Buffer.from(row.map((_, i) => row[(i - column) & 7] ?? 0));
      high[256 * column + byte] = turned.readInt32BE(0);
      low[256 * column + byte] = turned.readInt32BE(4);
    }
  }
  const constants = new Int32Array(2 * ROUNDS);
  constants.forEach((_, i) => {
    constants[i] = box.readInt32BE(4 * i);
  });
  return { high, low, constants };
}

function sBox(): Buffer {
  const inverse = E.map((_, value) => E.indexOf(value));
  const at = (values: readonly number[], i: number) => values[i] ?? 0;
  return Buffer.from(
    Array.from({ length: 256 }, (_, x) => {
      const left = at(E, x >> 4);
      const right = at(inverse, x & 15);
      const middle = at(R, left ^ right);
      return (at(E, left ^ middle) << 4) | at(inverse, right ^ middle);
    }),
  );
}

/** In the field of 256 elements. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 0, shifted = a; bit < 4; bit++) {
    if ((b >> bit) & 1) product ^= shifted;
    shifted = shifted & 0x80 ? (shifted << 1) ^ POLYNOMIAL : shifted << 1;
  }
  return product;
}
