import { createHash } from 'node:crypto';
import { closeSync, constants, createReadStream, fstatSync, linkSync } from 'node:fs';
import { bareEtag } from '../../../backends/s3-protocol/etag.ts';
import {
  childrenNamed,
  childText,
  type XmlElement,
} from '../../../backends/s3-protocol/read-xml.ts';
import { encodeUri, encodeUriPath } from '../../../backends/s3-protocol/uri-encoding.ts';
import { combineCrc32 } from '../../../hashes/crc32.ts';
import {
  type CopyRange,
  copyBytes,
  type FilePosition,
  loadCopyRange,
} from '../../../system/copy-range.ts';
import { readAll } from '../../../system/file-bytes.ts';
import {
  type ChecksumName,
  type Checksums,
  checksumElements,
  checksumOfAlgorithm,
  startChecksum,
} from '../body/checksums.ts';
import { receiveXml } from '../body/payload.ts';
import type { Bucket } from '../store/bucket.ts';
import { makeTemporary } from '../store/commit-object.ts';
import { findObject, withObject } from '../store/find-object.ts';
import type { ObjectRecord, PartSizes } from '../store/object-record.ts';
import { SortedKeys } from '../store/sorted-keys.ts';
import { JOINT_FILE, type Part, type Upload, type UploadStart } from '../store/upload.ts';
import type { Answer } from '../wire/answer.ts';
import { element, isoTime, OWNER, S3Error, xmlDocument } from '../wire/s3-error.ts';
import { bucketOf, type Call, checkWriteConditions, countParameter, header } from './call.ts';
import { checksumType, headersToKeep, versionHeaders } from './get-object.ts';
import { itemListing, listQuery } from './list-objects.ts';
import { locksToSet, tagsOfHeader } from './object-attributes.ts';
import { commitWhereAllowed } from './put-object.ts';

const INITIATOR = `<Initiator><ID>syncer</ID><DisplayName>syncer</DisplayName></Initiator>${OWNER}`;

/** Starts a multipart upload. */
export async function createMultipartUpload(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const asked = header(call.headers, 'x-amz-checksum-algorithm');
  const algorithm = checksumOfAlgorithm(asked);
  if (asked !== undefined && algorithm === undefined) {
    throw new S3Error('InvalidRequest', 'Checksum algorithm provided is unsupported.');
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
    const text = `The ${type} checksum type cannot be used with the ${algorithm} algorithm.`;
    throw new S3Error('InvalidRequest', text);
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
  const inOrder = [...upload.parts.values()].sort((a, b) => a.number - b.number);
  const behind = inOrder.filter((part) => part.number > marker);
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
  const bucket = await bucketOf(call);
  const asked = listQuery(call, 'max-uploads');
  const byKey = Map.groupBy(bucket.uploads.list(), ({ start }) => start.key);
  const keys = new SortedKeys();
  for (const key of byKey.keys()) keys.add(key);
  const uploads = {
    keys,
    itemsOf: async (key: string) => byKey.get(key) ?? [],
    idOf: ({ id }: Upload) => id,
  };
  const listed = await itemListing(call, asked, uploads, 'upload', ({ id, start }) => {
    const { key, headers, initiated } = start;
    return (
      `<Upload><Key>${asked.write(key)}</Key>${element('UploadId', id)}` +
      INITIATOR +
      element('StorageClass', headers['x-amz-storage-class'] ?? 'STANDARD') +
      `${element('Initiated', isoTime(initiated))}</Upload>`
    );
  });
  const inner =
    element('Bucket', call.bucketName) + listed.markers + asked.prefixElement + listed.rest;
  return { body: xmlDocument('ListMultipartUploadsResult', inner) };
}

/** Shortest part but the last, in bytes. */
const MIN_PART = 5 * 1024 * 1024;

/** Creates an object from the parts that the client lists. */
export async function completeMultipartUpload(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const id = call.query.get('uploadId') ?? '';
  // A checksum in the headers is that of the object, not of this document.
  const document = { ...call.payload(), checksums: new Map() };
  const listed = listedParts(await receiveXml(document));
  // A client without a response sends the request again.
  await bucket.uploads.ending(id);
  const done = await withObject(bucket, call.key, (current) => {
    if (current?.uploadId === id) return current;
    return bucket.history.get(call.key)?.find((each) => each.record?.uploadId === id)?.record;
  });
  if (done !== undefined) {
    if (!isListOf(listed, done)) throw new S3Error('NoSuchUpload');
    return completedAnswer(call, done);
  }
  const upload = bucket.uploads.get(id, call.key);
  const parts = chosenParts(upload, listed);
  const announced = header(call.headers, 'x-amz-mp-object-size');
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  if (announced !== undefined && Number(announced) !== size) throw new S3Error('InvalidRequest');
  checkWriteConditions(call.headers, await findObject(bucket, call.key));
  const numbers = parts.map((part) => part.number);
  const join = async () => {
    const file = await joinParts(bucket, upload, parts);
    const checksums = await wholeChecksums(bucket, call, upload, parts, file);
    const { algorithm, key: _, initiated, fullObject, ...attributes } = upload.start;
    return commitWhereAllowed(bucket, call, file, {
      ...attributes,
      etag: multipartEtag(parts),
      modified: Date.now(),
      parts: partSizes(parts),
      ...(!areInTurn(numbers) && { partNumbers: numbers }),
      uploadId: upload.id,
      ...(checksums && { checksums }),
      ...(algorithm && { partChecksums: parts.map((part) => part.checksums[algorithm] ?? '') }),
    });
  };
  return completedAnswer(call, await bucket.uploads.end(upload, join));
}

/** The content of an upload as one partial file. If the parts lie in order in one, it gets a second name. */
async function joinParts(bucket: Bucket, upload: Upload, parts: readonly Part[]): Promise<string> {
  const { folder } = bucket;
  const joint = `${upload.path}/${JOINT_FILE}`;
  let total = 0;
  const lieInOrder =
    upload.receiving.size === 0 &&
    parts.every(({ file, offset, size }) => {
      total += size;
      return file === JOINT_FILE && offset === total - size;
    });
  if (lieInOrder && folder.fileAt(joint)?.size === total) {
    bucket.mustExist();
    const file = folder.temporary();
    linkSync(folder.at(joint), folder.at(file));
    return file;
  }
  const { file, fd } = makeTemporary(bucket);
  try {
    const copyRange = await loadCopyRange();
    let at = 0;
    for (const part of parts) {
      await joinPart(upload, part, { fd, offset: at }, copyRange);
      at += part.size;
    }
  } catch (error) {
    folder.remove(file);
    throw error;
  } finally {
    closeSync(fd);
  }
  return file;
}

/** Copies a part to its place in the object. Throws `InvalidPart` if the source that it is to be copied from changed. */
async function joinPart(
  upload: Upload,
  part: Part,
  to: FilePosition,
  copyRange: CopyRange | undefined,
): Promise<void> {
  const { number, offset, size, sourceTime } = part;
  const from = upload.open(part.file, constants.O_RDONLY);
  try {
    const copied = await copyBytes({ fd: from, offset }, to, size, copyRange);
    if (sourceTime === undefined) {
      if (copied < size) throw new Error(`part ${number} of an upload is cut short`);
      return;
    }
    // The time also changes without the content, by a copy of the object onto itself.
    const isSame =
      copied === size &&
      (fstatSync(from).mtimeMs === sourceTime || (await md5Of(to, size)) === part.etag);
    if (isSame) return;
    const message = `Another program has changed the file from which part ${number} is copied. Copy the part again.`;
    throw new S3Error('InvalidPart', message);
  } finally {
    closeSync(from);
  }
}

/** The MD5 of a range of an open file, in hexadecimal. */
async function md5Of({ fd, offset }: FilePosition, size: number): Promise<string> {
  const md5 = createHash('md5');
  const buffer = Buffer.allocUnsafe(Math.min(1024 ** 2, size));
  for (let done = 0; done < size; done += buffer.length) {
    md5.update(await readAll(fd, buffer.subarray(0, size - done), offset + done));
  }
  return md5.digest('hex');
}

function completedAnswer(call: Call, record: ObjectRecord): Answer {
  const { checksums = {}, etag } = record;
  const type = checksumType(checksums);
  const path = `${encodeUri(call.bucketName)}/${encodeUriPath(call.key)}`;
  const inner =
    element('Location', `http://${call.headers.host ?? 'localhost'}/${path}`) +
    element('Bucket', call.bucketName) +
    element('Key', call.key) +
    element('ETag', `"${etag}"`) +
    checksumElements(checksums) +
    (type ? element('ChecksumType', type) : '');
  return {
    headers: versionHeaders(record),
    body: xmlDocument('CompleteMultipartUploadResult', inner),
  };
}

/** The client's list; of two with the same number the last counts. */
function listedParts(root: XmlElement) {
  const parts: { readonly number: number; readonly etag: string; readonly element: XmlElement }[] =
    [];
  for (const element of childrenNamed(root, 'Part')) {
    const number = Number(childText(element, 'PartNumber') ?? Number.NaN);
    if (!Number.isInteger(number)) throw new S3Error('MalformedXML');
    const before = parts.at(-1)?.number ?? 0;
    if (number < before) throw new S3Error('InvalidPartOrder');
    if (number === before) parts.pop();
    parts.push({ number, etag: bareEtag((childText(element, 'ETag') ?? '').trim()), element });
  }
  if (root.name !== 'CompleteMultipartUpload' || parts.length === 0) {
    throw new S3Error('MalformedXML');
  }
  return parts;
}

/** The received parts that the client lists. Throws if the list does not match them. */
function chosenParts(upload: Upload, listed: ReturnType<typeof listedParts>): Part[] {
  const parts = listed.map(({ number, etag, element }) => {
    const part = upload.parts.get(number);
    if (part === undefined || part.etag !== etag) throw new S3Error('InvalidPart');
    for (const [name, value] of Object.entries(part.checksums)) {
      const given = childText(element, `Checksum${name.toUpperCase()}`);
      if (given !== undefined && given !== value) throw new S3Error('InvalidPart');
    }
    return part;
  });
  if (parts.slice(0, -1).some((part) => part.size < MIN_PART)) throw new S3Error('EntityTooSmall');
  return parts;
}

/** Sizes of parts in their stored form. */
function partSizes(parts: readonly Part[]): PartSizes {
  const runs: [count: number, size: number][] = [];
  for (const { size } of parts) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === size) last[0]++;
    else runs.push([1, size]);
  }
  return runs;
}

const areInTurn = (numbers: readonly number[]): boolean =>
  numbers.every((number, index) => number === index + 1);

/** Whether a list is that of the parts of a completed upload. */
function isListOf(listed: ReturnType<typeof listedParts>, done: ObjectRecord): boolean {
  const numbers = listed.map(({ number }) => number);
  const { partNumbers } = done;
  const isOrder = partNumbers ? partNumbers.join() === numbers.join() : areInTurn(numbers);
  const areMd5s = listed.every(({ etag }) => /^[0-9a-f]{32}$/i.test(etag));
  return isOrder && areMd5s && multipartEtag(listed) === done.etag;
}

/** MD5 of the parts' MD5s, and their number. */
function multipartEtag(parts: readonly { readonly etag: string }[]): string {
  const md5 = createHash('md5');
  for (const part of parts) md5.update(part.etag, 'hex');
  return `${md5.digest('hex')}-${parts.length}`;
}

/** The checksum of the object, if the upload was started with one; verified if the client sends it. */
async function wholeChecksums(
  bucket: Bucket,
  call: Call,
  upload: Upload,
  parts: readonly Part[],
  file: string,
): Promise<Checksums | undefined> {
  const { algorithm, fullObject } = upload.start;
  if (algorithm === undefined) return undefined;
  const whole = () => {
    const fd = bucket.folder.open(file, constants.O_RDONLY);
    return createReadStream('', { fd, start: 0, highWaterMark: 1024 * 1024 });
  };
  const digest = fullObject
    ? (combinedCrc32(algorithm, parts) ?? (await checksumOf(algorithm, whole())))
    : await checksumOf(
        algorithm,
        parts.map((part) => Buffer.from(part.checksums[algorithm] ?? '', 'base64')),
      );
  const value = fullObject ? digest : `${digest}-${parts.length}`;
  const given = header(call.headers, `x-amz-checksum-${algorithm}`);
  if (given !== undefined && given !== value && given !== digest) {
    bucket.folder.remove(file);
    throw new S3Error('BadDigest');
  }
  return { [algorithm]: value };
}

async function checksumOf(
  algorithm: ChecksumName,
  pieces: readonly Buffer[] | AsyncIterable<Buffer>,
): Promise<string> {
  const running = await startChecksum(algorithm);
  for await (const piece of pieces) running.update(piece);
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
