import { hash } from 'node:crypto';
import { checksumElement, type PartChecksum } from '../checksums/upload-checksums.ts';

/** A part that has arrived. */
export interface DonePart {
  readonly number: number;
  readonly etag: string;
  /** In hexadecimal; `''` where it is not known. */
  readonly md5: string;
  /** The checksum that the store has verified, and the size in bytes, where it knows checksums. */
  readonly checksum?: PartChecksum;
}

/** The ETag that Amazon gives an object of these parts: the MD5 of their MD5s, which are their ETags, and their number. */
export function multipartEtag(parts: readonly DonePart[]): string {
  const digests = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag, 'hex')));
  return `${hash('md5', digests, 'hex')}-${parts.length}`;
}

/** The document that lists the parts of which an object is to be made. */
export function completionDocument(parts: readonly DonePart[]): Buffer {
  const list = parts.map(
    ({ number, etag, checksum }) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag>${checksumElement(checksum)}</Part>`,
  );
  return Buffer.from(
    `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list.join('')}</CompleteMultipartUpload>`,
  );
}
