import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { combineCrc32 } from '../../../hashes/crc32.ts';
import { type ChecksumName, type Checksums, startChecksum } from '../body/checksums.ts';
import type { Bucket } from '../store/bucket.ts';
import type { Part, Upload } from '../store/upload.ts';
import { S3Error } from '../wire/s3-error.ts';
import { type Call, header } from './call.ts';

/** MD5 of the parts' MD5s, and their number. */
export function multipartEtag(parts: readonly { readonly etag: string }[]): string {
  const md5 = createHash('md5');
  for (const part of parts) md5.update(part.etag, 'hex');
  return `${md5.digest('hex')}-${parts.length}`;
}

/** The checksum of the object, if the upload was started with one; verified if the client sends it. */
export async function wholeChecksums(
  bucket: Bucket,
  call: Call,
  upload: Upload,
  parts: readonly Part[],
  file: string,
): Promise<Checksums | undefined> {
  const { algorithm, fullObject } = upload.start;
  if (algorithm === undefined) return undefined;
  const digest = fullObject
    ? (combinedCrc32(algorithm, parts) ??
      (await checksumOfFile(algorithm, bucket.folder.open(file, constants.O_RDONLY))))
    : checksumOfParts(algorithm, parts);
  const value = fullObject ? digest : `${digest}-${parts.length}`;
  const given = header(call.headers, `x-amz-checksum-${algorithm}`);
  if (given !== undefined && given !== value && given !== digest) {
    bucket.folder.remove(file);
    throw new S3Error('BadDigest');
  }
  return { [algorithm]: value };
}

/** The checksum of the parts' checksums. */
function checksumOfParts(algorithm: ChecksumName, parts: readonly Part[]): string {
  const running = startChecksum(algorithm);
  for (const part of parts) running.update(Buffer.from(part.checksums[algorithm] ?? '', 'base64'));
  return running.digest().toString('base64');
}

/** The checksum of all bytes, from the verified ones of the parts. */
function combinedCrc32(algorithm: ChecksumName, parts: readonly Part[]): string | undefined {
  if (algorithm !== 'crc32') return undefined;
  const whole = Buffer.alloc(4);
  for (const { checksums, size } of parts) {
    if (checksums.crc32 === undefined) return undefined;
    const crc = Buffer.from(checksums.crc32, 'base64').readUInt32BE();
    whole.writeUInt32BE(combineCrc32(whole.readUInt32BE(), crc, size));
  }
  return whole.toString('base64');
}

async function checksumOfFile(algorithm: ChecksumName, fd: number): Promise<string> {
  const running = startChecksum(algorithm);
  for await (const piece of createReadStream('', { fd, start: 0, highWaterMark: 1024 * 1024 })) {
    running.update(piece);
  }
  return running.digest().toString('base64');
}
