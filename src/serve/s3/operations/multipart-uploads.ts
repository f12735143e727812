import { compareNames } from '../../../core/name-order.ts';
import { checksumElements, checksumOfAlgorithm } from '../body/checksums.ts';
import type { Upload, UploadStart } from '../store/upload.ts';
import type { Answer } from '../wire/answer.ts';
import { element, isoTime, OWNER, S3Error, type WriteName, xmlDocument } from '../wire/s3-error.ts';

import { bucketOf, type Call, countParameter, header } from './call.ts';
import { groupElements, listQuery } from './list-objects.ts';
import { headersToKeep } from './object-headers.ts';
import { tagsOfHeader } from './object-tags.ts';
import { checkKey } from './put-object.ts';
import { locksToSet } from './requested-locks.ts';

const INITIATOR = `<Initiator><ID>syncer</ID><DisplayName>syncer</DisplayName></Initiator>${OWNER}`;

/** Starts a multipart upload. */
export async function createMultipartUpload(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  checkKey(call.key);
  const asked = header(call.headers, 'x-amz-checksum-algorithm');
  const algorithm = checksumOfAlgorithm(asked);
  if (asked !== undefined && algorithm === undefined) {
    throw new S3Error('InvalidRequest', { message: 'Checksum algorithm provided is unsupported.' });
  }
  const type = header(call.headers, 'x-amz-checksum-type');
  const tags = tagsOfHeader(call.headers);
  const start: UploadStart = {
    key: call.key,
    initiated: Date.now(),
    headers: headersToKeep(call.headers),
    ...(tags && { tags }),
    ...locksToSet(bucket, call),
    ...(algorithm && { algorithm, fullObject: isFullObject(algorithm, type) }),
  };
  const upload = bucket.uploads.begin(start);
  const inner =
    element('Bucket', call.bucketName) + element('Key', call.key) + element('UploadId', upload.id);
  return {
    headers: algorithm
      ? {
          'x-amz-checksum-algorithm': algorithm.toUpperCase(),
          'x-amz-checksum-type': start.fullObject ? 'FULL_OBJECT' : 'COMPOSITE',
        }
      : {},
    body: xmlDocument('InitiateMultipartUploadResult', inner),
  };
}

/** CRC-64 is always of the whole, SHA always of the parts; the others as the client requests. */
function isFullObject(algorithm: string, type: string | undefined): boolean {
  const isSha = algorithm.startsWith('sha');
  const full = algorithm === 'crc64nvme' || type === 'FULL_OBJECT';
  if ((isSha && full) || (algorithm === 'crc64nvme' && type === 'COMPOSITE')) {
    throw new S3Error('InvalidRequest', {
      message: `The ${type} checksum type cannot be used with the ${algorithm} algorithm.`,
    });
  }
  return full;
}

/** Aborts an upload; its parts are deleted. */
export async function abortMultipartUpload(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  bucket.uploads.remove(bucket.uploads.get(call.query.get('uploadId') ?? '', call.key));
  return { status: 204 };
}

/** A page of the received parts, by number. */
export async function listParts(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const upload = bucket.uploads.get(call.query.get('uploadId') ?? '', call.key);
  const marker = countParameter(call, 'part-number-marker', 0, 10_000);
  const max = countParameter(call, 'max-parts', 1000, 1000);
  const behind = upload.inOrder().filter((part) => part.number > marker);
  const page = behind.slice(0, max);
  const truncated = max > 0 && behind.length > max;
  const parts = page.map(
    (part) =>
      `<Part>${element('PartNumber', part.number)}${element('LastModified', isoTime(part.modified))}` +
      `${element('ETag', `"${part.etag}"`)}${element('Size', part.size)}${checksumElements(part.checksums)}</Part>`,
  );
  const inner =
    element('Bucket', call.bucketName) +
    element('Key', call.key) +
    element('UploadId', upload.id) +
    INITIATOR +
    element('StorageClass', upload.start.headers['x-amz-storage-class'] ?? 'STANDARD') +
    element('PartNumberMarker', marker) +
    (truncated ? element('NextPartNumberMarker', page.at(-1)?.number ?? 0) : '') +
    element('MaxParts', max) +
    element('IsTruncated', truncated) +
    parts.join('');
  return { body: xmlDocument('ListPartsResult', inner) };
}

/** A page of the uploads in progress, by key and then by age. */
export async function listMultipartUploads(call: Call): Promise<Answer> {
  const { query } = call;
  const bucket = await bucketOf(call);
  const keyMarker = query.get('key-marker') ?? '';
  const idMarker = query.get('upload-id-marker') ?? '';
  const asked = listQuery(call, 'max-uploads');
  const { prefix, delimiter, max, write } = asked;
  const all = bucket.uploads.list().filter((upload) => upload.start.key.startsWith(prefix));
  const behind = afterMarker(all, keyMarker, idMarker);
  const groups = new Set<string>();
  const page: Upload[] = [];
  let last: Upload | undefined;
  let truncated = false;
  for (const upload of behind) {
    const { key } = upload.start;
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const group = at < 0 ? undefined : key.slice(0, at + delimiter.length);
    if (group !== undefined && groups.has(group)) {
      last = upload;
      continue;
    }
    truncated = page.length + groups.size === max;
    if (truncated) break;
    if (group === undefined) page.push(upload);
    else groups.add(group);
    last = upload;
  }
  const inner =
    element('Bucket', call.bucketName) +
    `<KeyMarker>${write(keyMarker)}</KeyMarker>${element('UploadIdMarker', idMarker)}` +
    (truncated && last
      ? `<NextKeyMarker>${write(last.start.key)}</NextKeyMarker>${element('NextUploadIdMarker', last.id)}`
      : '') +
    `<Prefix>${write(prefix)}</Prefix>` +
    asked.delimiterElement +
    element('MaxUploads', max) +
    asked.encodingElement +
    element('IsTruncated', truncated && max > 0) +
    page.map((upload) => uploadElement(upload, write)).join('') +
    groupElements(groups, write);
  return { body: xmlDocument('ListMultipartUploadsResult', inner) };
}

function afterMarker(all: readonly Upload[], key: string, id: string): readonly Upload[] {
  if (key === '') return all;
  const at = all.findIndex((upload) => upload.id === id && upload.start.key === key);
  if (at >= 0) return all.slice(at + 1);
  return all.filter((upload) => compareNames(upload.start.key, key) > 0);
}

function uploadElement(upload: Upload, write: WriteName): string {
  return (
    `<Upload><Key>${write(upload.start.key)}</Key>${element('UploadId', upload.id)}` +
    INITIATOR +
    element('StorageClass', upload.start.headers['x-amz-storage-class'] ?? 'STANDARD') +
    `${element('Initiated', isoTime(upload.start.initiated))}</Upload>`
  );
}
