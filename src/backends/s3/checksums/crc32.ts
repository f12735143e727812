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
