import { checksumHeaders } from '../body/checksums.ts';
import type { Payload } from '../body/payload.ts';
import { receiveIntoFile } from '../body/receive.ts';
import type { Part, Upload } from '../store/upload.ts';
import type { Answer } from '../wire/answer.ts';
import { S3Error } from '../wire/s3-error.ts';
import { bucketOf, type Call } from './call.ts';
import { MAX_BODY } from './put-object.ts';

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
  throw new S3Error('InvalidArgument', {
    message: 'Part number must be an integer between 1 and 10000, inclusive',
  });
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
