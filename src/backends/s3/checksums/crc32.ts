import { crc32 } from 'node:zlib';

/** The header, and the trailer, in which S3 tells a CRC-32. */
export const CRC32_HEADER = 'x-amz-checksum-crc32';

/** A CRC-32 as it goes over the wire: base64 of its four bytes, the highest first. */
export function encodeCrc32(crc: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc >>> 0);
  return bytes.toString('base64');
}

/** The CRC-32 that S3 gives an upload in parts whose checksum is COMPOSITE: that of the parts' CRC-32s. */
export function compositeCrc32(crcs: readonly number[]): number {
  const bytes = Buffer.alloc(crcs.length * 4);
  crcs.forEach((crc, index) => {
    bytes.writeUInt32BE(crc >>> 0, index * 4);
  });
  return crc32(bytes);
}

/** The polynomial of CRC-32, its bits in reverse. */
const POLYNOMIAL = 0xedb88320;

/**
 * The CRC-32 of two pieces, one behind the other, from their own CRC-32s (zlib's `crc32_combine`, which Node does
 * not offer): that of the first is moved along by as many zero bytes as the second has.
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

/** The product of two polynomials modulo that of CRC-32; the highest bit stands for x^0. */
function multiply(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = 31; bit >= 0; bit--) {
    if ((a >>> bit) & 1) product ^= shifted;
    shifted = shifted & 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1;
  }
  return product;
}
