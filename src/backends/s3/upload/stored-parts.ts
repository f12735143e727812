import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SyncerError } from '../../../core/errors.ts';
import type { WriteSource } from '../../../core/remote.ts';
import type { RecordedPart, UploadHead } from '../../../core/upload-records.ts';
import type { StoredPart } from '../listing/list-parts.ts';
import type { DonePart } from './multipart.ts';

/**
 * The recorded parts of an upload, by number, if the server has exactly these; else why the upload cannot be
 * continued. Parts that only the server has were in transit when the upload was interrupted: they are sent again.
 */
export function storedParts(
  recorded: readonly RecordedPart[],
  listed: readonly StoredPart[],
  { size, partSize }: Pick<UploadHead, 'size' | 'partSize'>,
): Map<number, RecordedPart> | string {
  const onServer = new Map(listed.map((part) => [part.number, part]));
  const stored = new Map(recorded.map((part) => [part.number, part]));
  for (const part of stored.values()) {
    const { number } = part;
    const there = onServer.get(number);
    const expected = Math.min(partSize, size - (number - 1) * partSize);
    if (number < 1 || expected <= 0 || part.size !== expected)
      return `part ${number} was too short`;
    if (there === undefined) return `the server lacks part ${number}`;
    if (there.size !== expected) return `part ${number} on the server has ${there.size} bytes`;
    if (there.etag !== part.etag) return `part ${number} on the server is another one`;
  }
  return stored;
}

/** What a record keeps of a part. */
export function recordedPart(
  { number, etag, md5, checksum }: DonePart,
  size: number,
): RecordedPart {
  return { number, size, etag, md5, ...(checksum === undefined ? {} : { crc32: checksum.crc32 }) };
}

/** A stored part, compared with the source. Throws `source-changed` if the source has other bytes there now. */
export function comparedPart(
  { number, etag, md5, size, crc32: recorded }: RecordedPart,
  body: Buffer,
  { path }: Pick<WriteSource, 'path'>,
): DonePart {
  const isSame =
    body.length === size &&
    (recorded === undefined ? hash('md5', body, 'hex') === md5 : crc32(body) === recorded);
  if (!isSame) {
    const text = `part ${number} of the source is not what an earlier run has sent`;
    throw new SyncerError('source-changed', text, { path });
  }
  return {
    number,
    etag,
    md5,
    ...(recorded === undefined ? {} : { checksum: { crc32: recorded, size } }),
  };
}
