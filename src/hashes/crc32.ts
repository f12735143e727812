/** A CRC-32 as hashes are written: eight hexadecimal digits. */
export const crc32Text = (crc: number): string => (crc >>> 0).toString(16).padStart(8, '0');

/**
 * The CRC-32 of two pieces from their own (zlib's `crc32_combine`): that of the first is moved along by as many zero
 * bytes.
 *
 * @param secondSize in bytes
 */
export function combineCrc32(first: number, second: number, secondSize: number): number {
  let crc = first;
  let power = 1 << 23; // x^8: one zero byte.
  for (let left = secondSize; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) crc = multiply(crc, power);
    power = multiply(power, power);
  }
  return (crc ^ second) >>> 0;
}

/** The product of two polynomials modulo that of CRC-32, which is reversed here: the highest bit stands for x^0. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ 0xedb88320 : shifted >>> 1;
  }
  return product;
}
