import { crc32 } from 'node:zlib';
import { SyncerError } from '../../../core/errors.ts';
import { crc32Text } from '../../../hashes/crc32.ts';
import type { HttpHeaders } from '../../../http/answer-head.ts';
import type { BodyCheck } from '../../../http/read-body.ts';
import { CRC32_HEADER, encodeCrc32 } from './crc32.ts';

/** The header that asks for the checksum of an object that is read. */
export const ASK_FOR_CHECKSUM = { 'x-amz-checksum-mode': 'ENABLED' } as const;

/** The CRC-32 of all bytes of an object, in hexadecimal, where the answer to HEAD or GET tells that. */
export function toldCrc32(headers: HttpHeaders): string | undefined {
  const told = headers[CRC32_HEADER];
  if (told === undefined || !isOfAllBytes(headers, told)) return undefined;
  return crc32Text(Buffer.from(told, 'base64').readUInt32BE());
}

/**
 * The check of an object that is read whole, where the answer tells the CRC-32 of all its bytes. That of an upload in
 * parts can be one of the parts' checksums (type COMPOSITE), by which nothing can be checked here.
 */
export function wholeObjectCheck(headers: HttpHeaders, where: string): BodyCheck | undefined {
  const expected = headers[CRC32_HEADER];
  if (expected === undefined || !isOfAllBytes(headers, expected)) return undefined;
  let crc = 0;
  return {
    update(chunk) {
      crc = crc32(chunk, crc);
    },
    finish() {
      const found = encodeCrc32(crc);
      if (found === expected) return undefined;
      const text = `${where}: the received data differs from the stored data (CRC-32 ${found}, not ${expected})`;
      return new SyncerError('corrupted', text);
    },
  };
}

function isOfAllBytes(headers: HttpHeaders, value: string): boolean {
  if (!/^[\w+/]{6}==$/.test(value)) return false;
  const type = headers['x-amz-checksum-type'];
  if (type !== undefined) return type === 'FULL_OBJECT';
  // Stores that know no types: the ETag of an upload in parts tells how many they were.
  return headers['etag']?.includes('-') === false;
}
