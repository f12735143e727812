import { SyncerError } from '../../../core/errors.ts';
import type { S3Settings } from '../settings.ts';

const MIB = 1024 ** 2;

const LARGEST_PART = 5 * 1024 ** 3;

/** How to write a file. */
type UploadPlan =
  /** Read into memory, then one PUT with Content-MD5, which can be sent again. */
  | { readonly how: 'whole' }
  /** One PUT, sent while it is read, whose Content-MD5 is known in advance. */
  | { readonly how: 'stream' }
  /** One PUT, sent while it is read, with its CRC-32 as a trailer. */
  | { readonly how: 'trailer' }
  /** In parts of `partSize` bytes, each with a checksum. */
  | {
      readonly how: 'parts';
      readonly partSize: number;
      /** Read into memory first, so that its MD5 can be stored with it. */
      readonly inMemory: boolean;
    };

/**
 * Decides how to write a file. Every request has a checksum that the server verifies, so a file too large for memory
 * is one PUT only if its MD5 is known first or the server supports trailers; otherwise it is uploaded in parts. Below
 * `uploadCutoff` that matches rclone: one PUT, whose ETag is the MD5. Throws `too-large`.
 *
 * @param size in bytes; `undefined` if not known before the end
 * @param mayTrail the server is believed to support trailing checksums
 */
export function planUpload(
  size: number | undefined,
  md5IsKnown: boolean,
  mayTrail: boolean,
  settings: Pick<S3Settings, 'uploadCutoff' | 'chunkSize' | 'maxUploadParts' | 'multipartUploads'>,
): UploadPlan {
  const { multipartUploads } = settings;
  if (size === undefined && multipartUploads)
    return { how: 'parts', partSize: settings.chunkSize, inMemory: false };
  const isSmall = size !== undefined && size <= WHOLE_LIMIT;
  if (size !== undefined && size < settings.uploadCutoff) {
    if (isSmall) return { how: 'whole' };
    if (md5IsKnown) return { how: 'stream' };
    if (mayTrail) return { how: 'trailer' };
  }
  if (size === undefined || !multipartUploads) {
    const text =
      'the server takes no uploads in parts, and one request needs a known size, MD5 and at most 5 GiB';
    throw new SyncerError('too-large', text);
  }
  return { how: 'parts', partSize: partSizeFor(size, settings), inMemory: isSmall };
}

/** The part size for which a file of `size` bytes has no more parts than allowed: whole MiB above `chunkSize`. */
function partSizeFor(
  size: number,
  { chunkSize, maxUploadParts }: Pick<S3Settings, 'chunkSize' | 'maxUploadParts'>,
): number {
  if (size <= chunkSize * maxUploadParts) return chunkSize;
  const partSize = Math.ceil(size / maxUploadParts / MIB) * MIB;
  if (partSize <= LARGEST_PART) return partSize;
  throw new SyncerError('too-large', `larger than ${maxUploadParts} parts of 5 GiB`);
}

/** What an upload that is sent while it is read holds in memory, in bytes. */
const STREAM_MEMORY = 2 * MIB;

/** See `Capabilities.writeMemory`. */
export function uploadMemory(
  size: number | undefined,
  settings: Parameters<typeof planUpload>[3] & Pick<S3Settings, 'uploadConcurrency'>,
): { readonly least: number; readonly most: number } {
  const { multipartUploads, uploadConcurrency, chunkSize, uploadCutoff } = settings;
  if (size !== undefined && (size <= WHOLE_LIMIT || size < uploadCutoff || !multipartUploads)) {
    const bytes = size <= WHOLE_LIMIT ? size : STREAM_MEMORY;
    return { least: bytes, most: bytes };
  }
  const { maxUploadParts } = settings;
  const partSize =
    size === undefined ? chunkSize : Math.max(chunkSize, Math.ceil(size / maxUploadParts));
  // A stream fills the next part while the others are sent.
  const more = size === undefined ? partSize : 0;
  return { least: partSize + more, most: partSize * uploadConcurrency + more };
}

/** Files up to this size, in bytes, are read into memory before they are sent. */
export const WHOLE_LIMIT = 16 * MIB;
