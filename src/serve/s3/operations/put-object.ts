import { closeSync } from 'node:fs';
import { writeNow } from '../../../system/file-bytes.ts';
import { checksumHeaders } from '../body/checksums.ts';
import { checkPayload, type Payload, receiveBytes, receiveIntoFile } from '../body/payload.ts';
import type { Bucket } from '../store/bucket.ts';
import { commitObject, makeTemporary, type NewObject } from '../store/commit-object.ts';
import { findObject, withObject } from '../store/find-object.ts';
import type { ObjectRecord } from '../store/object-record.ts';
import type { LinkedFile, Part, Upload } from '../store/upload.ts';
import type { Answer } from '../wire/answer.ts';
import { S3Error } from '../wire/s3-error.ts';
import { bucketOf, type Call, checkWriteConditions, hasWriteConditions } from './call.ts';
import { checksumTypeHeader, headersToKeep, versionHeaders } from './get-object.ts';
import { locksToSet, tagsOfHeader } from './object-attributes.ts';

/** Longest object in one request, and longest part, in bytes: 5 GiB. */
export const MAX_BODY = 5 * 1024 ** 3;
/** Bodies up to this size are held in memory until they are complete, in bytes. */
const SMALL = 256 * 1024;

/** Writes an object from the body of the request. */
export async function putObject(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const headers = headersToKeep(call.headers);
  const tags = tagsOfHeader(call.headers);
  const locks = locksToSet(bucket, call);
  if (hasWriteConditions(call.headers)) {
    checkWriteConditions(call.headers, await findObject(bucket, call.key));
  }
  const payload = call.payload();
  if (payload.length === undefined) throw new S3Error('MissingContentLength');
  const { file, content } = await receiveTemporary(bucket, payload);
  const record = await commitWhereAllowed(bucket, call, file, {
    etag: content.md5,
    modified: Date.now(),
    headers,
    checksums: content.checksums,
    ...(tags && { tags }),
    ...locks,
  });
  return {
    headers: {
      etag: `"${record.etag}"`,
      ...checksumHeaders(content.checksums),
      ...checksumTypeHeader(content.checksums),
      ...versionHeaders(record),
    },
  };
}

/** Throws for a key above 1,024 bytes. */
export function checkKey(key: string): void {
  if (key.length > 1024 || (key.length > 256 && Buffer.byteLength(key) > 1024)) {
    throw new S3Error('KeyTooLongError');
  }
}

/** Commits a partial file as the object of a call, if conditions allow it. The file is gone then, also after an error. */
export async function commitWhereAllowed(
  bucket: Bucket,
  call: Call,
  file: string,
  content: NewObject,
): Promise<ObjectRecord> {
  const { key, headers } = call;
  const rule = bucket.settings.objectLock?.rule;
  let { retention } = content;
  if (retention === undefined && rule !== undefined) {
    const until = new Date(call.now());
    until.setUTCFullYear(until.getUTCFullYear() + (rule.years ?? 0));
    until.setUTCDate(until.getUTCDate() + (rule.days ?? 0));
    retention = { mode: rule.mode, until: until.getTime() };
  }
  const locked = { ...content, ...(retention && { retention }) };
  try {
    const conditional = hasWriteConditions(headers);
    if (!conditional && bucket.settings.versioning === undefined) {
      return commitObject(bucket, key, file, locked);
    }
    return await withObject(bucket, key, (current) => {
      if (conditional) checkWriteConditions(headers, current);
      return commitObject(bucket, key, file, locked);
    });
  } catch (error) {
    bucket.folder.remove(file);
    throw error;
  }
}

/** Receives and verifies a body as a partial file; deletes it on failure. */
async function receiveTemporary(bucket: Bucket, payload: Payload) {
  const isSmall = payload.length !== undefined && payload.length <= SMALL;
  const small = isSmall ? await receiveBytes(payload, SMALL) : undefined;
  const { file, fd } = makeTemporary(bucket);
  try {
    if (small === undefined) {
      return { file, content: await receiveIntoFile(payload, { fd, offset: 0 }, MAX_BODY) };
    }
    try {
      writeNow(fd, small.data);
    } finally {
      closeSync(fd);
    }
    return { file, content: small };
  } catch (error) {
    bucket.folder.remove(file);
    throw error;
  }
}

/** Receives a part from the body of the request. */
export async function uploadPart(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const upload = bucket.uploads.get(call.query.get('uploadId') ?? '', call.key);
  const number = partNumber(call);
  const payload = call.payload();
  if (payload.length === undefined) throw new S3Error('MissingContentLength');
  const part = await receivePart(upload, number, payload);
  return { headers: { etag: `"${part.etag}"`, ...checksumHeaders(part.checksums) } };
}

/** The `partNumber` of a call. Throws `InvalidArgument`. */
export function partNumber(call: Call): number {
  const text = call.query.get('partNumber') ?? '';
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= 10_000) return number;
  const message = 'Part number must be an integer between 1 and 10000, inclusive';
  throw new S3Error('InvalidArgument', message);
}

/** Stores the body of a part and adds it to its upload. */
export async function receivePart(upload: Upload, number: number, payload: Payload): Promise<Part> {
  const place = upload.reserve(number, payload.length);
  try {
    const { algorithm } = upload.start;
    const content = await receiveIntoFile(payload, place, MAX_BODY, algorithm);
    const { file, offset } = place;
    const { size, md5: etag, checksums } = content;
    const part: Part = { number, file, offset, size, etag, checksums, modified: Date.now() };
    upload.add(part);
    return part;
  } catch (error) {
    upload.discard(place.file);
    throw error;
  } finally {
    place.release();
  }
}

/**
 * Adds a part whose bytes are in a linked file at `offset`, and are read only for its ETag and checksums. `undefined` if
 * the file changed during that: it has no second name then.
 */
export async function keepPart(
  upload: Upload,
  number: number,
  payload: Payload,
  place: LinkedFile & { readonly offset: number },
): Promise<Part | undefined> {
  try {
    const { algorithm } = upload.start;
    const { size, md5: etag, checksums } = await checkPayload(payload, MAX_BODY, algorithm);
    if (upload.timeOf(place.file) !== place.sourceTime) {
      upload.discard(place.file);
      return undefined;
    }
    const part: Part = { number, ...place, size, etag, checksums, modified: Date.now() };
    upload.add(part);
    return part;
  } catch (error) {
    upload.discard(place.file);
    throw error;
  }
}
