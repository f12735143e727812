import { combineCrc32 } from '../../../hashes/crc32.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import type { S3Settings } from '../settings.ts';
import { CRC32_HEADER, compositeCrc32, encodeCrc32 } from './crc32.ts';

/** The server's checksum of a multipart upload: of all bytes, of the parts' checksums, or none. */
export type UploadChecksums = 'whole' | 'parts' | 'none';

/** The checksum of a part. */
export interface PartChecksum {
  readonly crc32: number;
  /** In bytes. */
  readonly size: number;
}

/** The headers that start a multipart upload with the CRC-32 of all its bytes; in a directory bucket of its parts. */
export function askForChecksums({
  directoryBucket,
}: Pick<S3Settings, 'directoryBucket'>): Record<string, string> {
  const algorithm = { 'x-amz-checksum-algorithm': 'CRC32' };
  return directoryBucket ? algorithm : { ...algorithm, 'x-amz-checksum-type': 'FULL_OBJECT' };
}

/** The type of checksum in the response that starts an upload. Older servers support only that of the parts. */
export function answeredChecksums(headers: HttpHeaders): UploadChecksums {
  if (headers['x-amz-checksum-algorithm']?.toUpperCase() !== 'CRC32') return 'none';
  return headers['x-amz-checksum-type'] === 'FULL_OBJECT' ? 'whole' : 'parts';
}

/** The headers that complete an upload with the CRC-32 of all its bytes: the server refuses another. */
export function wholeHeaders(parts: readonly PartChecksum[]): Record<string, string> {
  return {
    [CRC32_HEADER]: encodeCrc32(wholeCrc32(parts)),
    'x-amz-checksum-type': 'FULL_OBJECT',
    'x-amz-mp-object-size': String(parts.reduce((sum, { size }) => sum + size, 0)),
  };
}

/** The checksum of a part in the list that completes an upload; `''` for none. */
export function checksumElement(part: PartChecksum | undefined): string {
  return part === undefined ? '' : `<ChecksumCRC32>${encodeCrc32(part.crc32)}</ChecksumCRC32>`;
}

/**
 * Whether an object's checksum is that of these parts.
 *
 * @param type as the server reports it; if it does not, either fits
 */
export function fitsParts(
  told: string,
  parts: readonly PartChecksum[],
  type: string | undefined,
): boolean {
  const composite = encodeCrc32(compositeCrc32(parts.map(({ crc32 }) => crc32)));
  const ofParts = [composite, `${composite}-${parts.length}`];
  const ofAll = [encodeCrc32(wholeCrc32(parts))];
  const byType: Readonly<Record<string, readonly string[]>> = {
    FULL_OBJECT: ofAll,
    COMPOSITE: ofParts,
  };
  return (byType[type ?? ''] ?? [...ofParts, ...ofAll]).includes(told.trim());
}

function wholeCrc32(parts: readonly PartChecksum[]): number {
  return parts.reduce((crc, part) => combineCrc32(crc, part.crc32, part.size), 0);
}
