import { closeSync, createReadStream } from 'node:fs';
import type { RequestedRange } from '../../byte-range.ts';
import { checksumElements } from '../body/checksums.ts';
import type { Answer } from '../wire/answer.ts';
import { S3Error } from '../wire/s3-error.ts';
import { element, isoTime, xmlDocument } from '../wire/xml-text.ts';
import { bucketOf, type Call, header } from './call.ts';
import { checkReadConditions } from './conditions.ts';
import { copySource } from './copy-source.ts';
import { openVersion } from './get-object.ts';
import { partNumber, receivePart } from './upload-part.ts';

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
    range = copyRange(call, record.size);
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

function copyRange(call: Call, size: number): RequestedRange {
  const text = header(call.headers, 'x-amz-copy-source-range');
  if (text === undefined) return { offset: 0, length: size };
  const [first = Number.NaN, last = Number.NaN] =
    /^bytes=(\d+)-(\d+)$/.exec(text)?.slice(1).map(Number) ?? [];
  if (!(first <= last)) {
    throw new S3Error('InvalidArgument', {
      message: 'The x-amz-copy-source-range value must be of the form bytes=first-last',
    });
  }
  if (last >= size) throw new S3Error('InvalidRange');
  return { offset: first, length: last - first + 1 };
}
