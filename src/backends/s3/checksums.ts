import { crc32 } from 'node:zlib';
import { SyncerError } from '../../core/errors.ts';
import type { RecordedPart } from '../../core/upload-records.ts';
import { combineCrc32, crc32Text } from '../../hashes/crc32.ts';
import type { BodyCheck } from '../http/answer.ts';
import type { HttpHeaders } from '../http/answer-parser.ts';

/** The header, and the trailer, of a CRC-32 in S3. */
export const CRC32_HEADER = 'x-amz-checksum-crc32';

const CRC32_TEXT = /^[\w+/]{6}==$/;

/** A CRC-32 on the wire: base64 of its four bytes, the highest first. */
export function encodeCrc32(crc: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc >>> 0);
  return bytes.toString('base64');
}

/** The CRC-32 of such a text; `undefined` if it is none. */
export function decodeCrc32(text: string): number | undefined {
  if (!CRC32_TEXT.test(text)) return undefined;
  return Buffer.from(text, 'base64').readUInt32BE();
}

/** The CRC-32 of a multipart upload whose checksum is COMPOSITE: that of the parts' CRC-32s. */
export function compositeCrc32(crcs: readonly number[]): number {
  const bytes = Buffer.alloc(crcs.length * 4);
  crcs.forEach((crc, index) => {
    bytes.writeUInt32BE(crc >>> 0, index * 4);
  });
  return crc32(bytes);
}

/** The header that requests the checksum of an object that is read. */
export const ASK_FOR_CHECKSUM = { 'x-amz-checksum-mode': 'ENABLED' } as const;

/** The CRC-32 of all bytes of an object, in hexadecimal, if the response to HEAD or GET has it. */
export function toldCrc32(headers: HttpHeaders): string | undefined {
  const told = headers[CRC32_HEADER];
  if (told === undefined || !isOfAllBytes(headers, told)) return undefined;
  return crc32Text(Buffer.from(told, 'base64').readUInt32BE());
}

/** The check of an object that is read whole, if the response has the CRC-32 of all its bytes, and not of its parts. */
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
  if (!CRC32_TEXT.test(value)) return false;
  const type = headers['x-amz-checksum-type'];
  if (type !== undefined) return type === 'FULL_OBJECT';
  // From servers without checksum types, the ETag of a multipart upload has the number of parts.
  return headers['etag']?.includes('-') === false;
}

/** The server's checksum of a multipart upload: of all bytes, of the parts' checksums, or none. */
export type UploadChecksums = 'whole' | 'parts' | 'none';

/** What the checksums of an upload are made from. */
export type PartChecksum = Pick<RecordedPart, 'crc32' | 'size'>;

/** The headers that complete an upload with the CRC-32 of all its bytes: the server refuses another. */
export function wholeHeaders(parts: readonly PartChecksum[]): Record<string, string> {
  return {
    [CRC32_HEADER]: encodeCrc32(wholeCrc32(parts)),
    'x-amz-checksum-type': 'FULL_OBJECT',
    'x-amz-mp-object-size': String(parts.reduce((sum, { size }) => sum + size, 0)),
  };
}

/** Whether an object's checksum is that of these parts. `type`: as the server reports it; by default either fits. */
export function fitsParts(told: string, parts: readonly PartChecksum[], type: string | undefined) {
  const composite = encodeCrc32(compositeCrc32(parts.map(({ crc32 = 0 }) => crc32)));
  const ofParts = type === 'FULL_OBJECT' ? [] : [composite, `${composite}-${parts.length}`];
  const ofAll = type === 'COMPOSITE' ? [] : [encodeCrc32(wholeCrc32(parts))];
  return [...ofParts, ...ofAll].includes(told.trim());
}

function wholeCrc32(parts: readonly PartChecksum[]): number {
  return parts.reduce((crc, { crc32 = 0, size }) => combineCrc32(crc, crc32, size), 0);
}
