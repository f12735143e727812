import { closeSync, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { S3Error } from '../wire/s3-error.ts';
import type { ChecksumName } from './checksums.ts';
import type { Payload } from './payload.ts';
import { type CheckedContent, startPayloadCheck } from './payload-check.ts';

/** A body read into memory. */
export interface ReceivedBytes extends CheckedContent {
  readonly data: Buffer;
}

/** Reads a body into memory and verifies it. Throws `EntityTooLarge` beyond `limit` bytes. */
export async function receiveBytes(payload: Payload, limit: number): Promise<ReceivedBytes> {
  if (payload.length !== undefined && payload.length > limit) throw new S3Error('EntityTooLarge');
  const check = startPayloadCheck(payload);
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of payload.data) {
    size += piece.length;
    if (size > limit) throw new S3Error('EntityTooLarge');
    check.update(piece);
    pieces.push(piece);
  }
  const [only] = pieces;
  const data = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
  return { ...check.finish(), data };
}

/** How much may wait for the disk before the client has to wait, in bytes. */
const WRITE_BUFFER = 1024 * 1024;

/**
 * Writes a body into an open file at `offset`, verifies it and closes the file. After a failure the partial file
 * stays: the caller deletes it.
 */
export async function receiveIntoFile(
  payload: Payload,
  file: { readonly fd: number; readonly offset: number },
  limit: number,
  extra?: ChecksumName,
): Promise<CheckedContent> {
  if (payload.length !== undefined && payload.length > limit) {
    closeSync(file.fd);
    throw new S3Error('EntityTooLarge');
  }
  const check = startPayloadCheck(payload, extra);
  const { fd, offset: start } = file;
  const target = createWriteStream('', { fd, start, highWaterMark: WRITE_BUFFER });
  let size = 0;
  await pipeline(
    payload.data,
    async function* (data: AsyncIterable<Buffer>) {
      for await (const piece of data) {
        size += piece.length;
        if (size > limit) throw new S3Error('EntityTooLarge');
        check.update(piece);
        yield piece;
      }
    },
    target,
  );
  return check.finish();
}
