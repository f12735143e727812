import { closeSync, createReadStream } from 'node:fs';
import { checksumElements, checksumHeaders } from '../body/checksums.ts';
import type { Payload } from '../body/payload.ts';
import { receiveIntoFile } from '../body/receive.ts';
import type { Part, Upload } from '../store/upload.ts';
import type { Answer } from '../wire/answer.ts';
import { S3Error } from '../wire/s3-error.ts';
import { element, isoTime, xmlDocument } from '../wire/xml-text.ts';
import { byteRange, type RequestedRange } from './byte-range.ts';
import { bucketOf, type Call, header } from './call.ts';
import { checkReadConditions } from './conditions.ts';
import { copySource } from './copy-source.ts';
import { openVersion } from './get-object.ts';
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

/** Copies a part from an existing object, or from a range of it. */
export async function uploadPartCopy(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const upload = bucket.uploads.get(call.query.get('uploadId') ?? '', call.key);
  const number = partNumber(call);
  const source = await copySource(call);
  const { record, fd } = await openVersion(source.bucket, source.key, source.versionId);
  let range: RequestedRange;
  try {
    checkReadConditions(call.headers, record, 'x-amz-copy-source-');
    range = copyRange(call, record.size) ?? { offset: 0, length: record.size };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  const { offset: start, length } = range;
  const end = Math.max(start, start + length - 1);
  const data = createReadStream('', { fd, start, end, highWaterMark: 1024 * 1024 });
  try {
    const checks = { checksums: new Map(), trailers: new Map() };
    const part = await receivePart(upload, number, { data, length, ...checks });
    const inner =
      element('LastModified', isoTime(part.modified)) +
      element('ETag', `"${part.etag}"`) +
      checksumElements(part.checksums);
    return { body: xmlDocument('CopyPartResult', inner) };
  } finally {
    data.destroy();
  }
}

function partNumber(call: Call): number {
  const text = call.query.get('partNumber') ?? '';
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= 10_000) return number;
  throw new S3Error('InvalidArgument', {
    message: 'Part number must be an integer between 1 and 10000, inclusive',
  });
}

function copyRange(call: Call, size: number) {
  const text = header(call.headers, 'x-amz-copy-source-range');
  if (text === undefined) return undefined;
  const last = Number(/^bytes=\d+-(\d+)$/.exec(text)?.[1] ?? Number.NaN);
  if (Number.isNaN(last)) {
    throw new S3Error('InvalidArgument', {
      message: 'The x-amz-copy-source-range value must be of the form bytes=first-last',
    });
  }
  if (last >= size) throw new S3Error('InvalidRange');
  return byteRange(text, size);
}

async function receivePart(upload: Upload, number: number, payload: Payload): Promise<Part> {
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
