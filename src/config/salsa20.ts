/**
 * XSalsa20, the stream cipher of NaCl's secretbox. Node's crypto does not have it.
 * D. J. Bernstein, "Extending the Salsa20 nonce", 2011.
 */

const SIGMA = new Uint32Array([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
/** Where key words 0 to 7 and input words 0 to 3 stand in the 4 × 4 matrix. */
const KEY_AT = [1, 2, 3, 4, 11, 12, 13, 14];
const INPUT_AT = [6, 7, 8, 9];
const SIGMA_AT = [0, 5, 10, 15];
/** One double round: the columns, then the rows. */
const QUARTERS = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
] as const;

/** The first `length` bytes of the key stream; `key` has 32 bytes, `nonce` 24. */
export function xsalsa20Stream(key: Uint8Array, nonce: Uint8Array, length: number): Uint8Array {
  const subkey = hsalsa20(key, nonce.subarray(0, 16));
  const stream = new Uint8Array(Math.ceil(length / 64) * 64);
  const input = new Uint8Array(16);
  input.set(nonce.subarray(16, 24));
  const counter = new DataView(input.buffer);
  for (let block = 0; block * 64 < length; block++) {
    counter.setUint32(8, block, true);
    const state = matrix(subkey, input);
    const mixed = rounds(state);
    stream.set(toBytes(mixed.map((word, i) => word + (state[i] ?? 0))), block * 64);
  }
  return stream.subarray(0, length);
}

function hsalsa20(key: Uint8Array, input: Uint8Array): Uint8Array {
  const mixed = rounds(matrix(key, input));
  return toBytes(Uint32Array.from([...SIGMA_AT, ...INPUT_AT], (at) => mixed[at] ?? 0));
}

function matrix(key: Uint8Array, input: Uint8Array): Uint32Array {
  const words = new Uint32Array(16);
  const put = (places: readonly number[], values: Uint32Array) => {
    for (const [i, at] of places.entries()) words[at] = values[i] ?? 0;
  };
  put(SIGMA_AT, SIGMA);
  put(KEY_AT, toWords(key));
  put(INPUT_AT, toWords(input));
  return words;
}

function rounds(state: Uint32Array): Uint32Array {
  const x = state.slice();
  const mix = (to: number, a: number, b: number, turn: number) => {
    const sum = ((x[a] ?? 0) + (x[b] ?? 0)) | 0;
    x[to] = (x[to] ?? 0) ^ ((sum << turn) | (sum >>> (32 - turn)));
  };
  for (let round = 0; round < 10; round++) {
    for (const [a, b, c, d] of QUARTERS) {
      mix(b, a, d, 7);
      mix(c, b, a, 9);
      mix(d, c, b, 13);
      mix(a, d, c, 18);
    }
  }
  return x;
}

function toWords(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(i * 4, true));
}

function toBytes(words: Uint32Array): Uint8Array {
  const view = new DataView(new ArrayBuffer(words.length * 4));
  for (const [i, word] of words.entries()) view.setUint32(i * 4, word, true);
  return new Uint8Array(view.buffer);
}
