import fs from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { writeNow } from '../../../system/file-bytes.ts';
import type { RequestedRange } from '../../conditions.ts';
import { checksumElements, checksumOfAlgorithm } from '../body/checksums.ts';
import type { Bucket } from '../store/bucket.ts';
import { changeAttributes, makeTemporary } from '../store/commit-object.ts';
import { withObject } from '../store/find-object.ts';
import type { ObjectAttributes, ObjectRecord } from '../store/object-record.ts';
import type { Part, Upload } from '../store/upload.ts';
import type { Answer } from '../wire/answer.ts';
import { element, isoTime, notImplemented, S3Error, xmlDocument } from '../wire/s3-error.ts';
import { parseQuery, uriDecode } from '../wire/uri-encoding.ts';
import {
  bucketOf,
  type Call,
  checkReadConditions,
  checkVersionId,
  checkWriteConditions,
  header,
} from './call.ts';
import {
  headersToKeep,
  type ObjectPlace,
  openVersion,
  storedHeaders,
  versionHeaders,
} from './get-object.ts';
import { locksToSet, tagsOfHeader } from './object-attributes.ts';
import { commitWhereAllowed, keepPart, MAX_BODY, partNumber, receivePart } from './put-object.ts';

/** Copies an object inside the server, or changes the metadata of one by a copy onto itself. */
export async function copyObject(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const source = await copySource(call);
  const onItself = source.bucket === bucket && source.key === call.key;
  const replaces = directive(call, 'x-amz-metadata-directive') === 'REPLACE';
  const changes = replaces || header(call.headers, 'x-amz-storage-class') !== undefined;
  if (onItself && source.versionId === undefined && !changes) {
    const text =
      "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.";
    throw new S3Error('InvalidRequest', text);
  }
  const record =
    onItself && source.versionId === undefined && bucket.settings.versioning === undefined
      ? await changeInPlace(bucket, call, source)
      : await copyOther(bucket, call, source);
  const inner =
    element('LastModified', isoTime(record.modified)) + element('ETag', `"${record.etag}"`);
  return { headers: versionHeaders(record), body: xmlDocument('CopyObjectResult', inner) };
}

/** A copy onto itself changes metadata only: the content stays. */
function changeInPlace(bucket: Bucket, call: Call, source: ObjectPlace): Promise<ObjectRecord> {
  return withObject(bucket, call.key, (current) => {
    if (current === undefined) throw new S3Error('NoSuchKey', { elements: { Key: call.key } });
    checkReadConditions(call.headers, current, 'x-amz-copy-source-');
    checkAlgorithm(call, current);
    checkWriteConditions(call.headers, current);
    const attributes = newAttributes(call, source, current);
    return changeAttributes(bucket, current, { ...attributes, modified: Date.now() });
  });
}

async function copyOther(bucket: Bucket, call: Call, source: ObjectPlace): Promise<ObjectRecord> {
  const locks = locksToSet(bucket, call);
  // A file that changes during that is copied again.
  for (let tries = 0; tries < 10; tries++) {
    const { record: from, fd } = await openVersion(source, (record) => {
      checkReadConditions(call.headers, record, 'x-amz-copy-source-');
      if (record.size > MAX_BODY) {
        const text =
          'The specified copy source is larger than the maximum allowable size: 5368709120';
        throw new S3Error('InvalidRequest', text);
      }
      checkAlgorithm(call, record);
    });
    const opened = fs.fstatSync(fd);
    const file = await copyToTemporary(bucket, fd, from.size);
    // Not compared with the record, which is also valid for another inode: of a restored directory.
    const now = source.bucket.folder.fileAt(from.file);
    if (now?.ino !== opened.ino || now.size !== opened.size || now.mtimeMs !== opened.mtimeMs) {
      bucket.folder.remove(file);
      continue;
    }
    const { etag } = from;
    const attributes = { ...newAttributes(call, source, from), ...locks };
    return commitWhereAllowed(bucket, call, file, { etag, ...attributes, modified: Date.now() });
  }
  throw new S3Error('InternalError', 'The copy source changes all the time.');
}

/** The checksums of a copy are those of its source. */
function checkAlgorithm(call: Call, { checksums }: ObjectRecord): void {
  const asked = header(call.headers, 'x-amz-checksum-algorithm');
  const algorithm = checksumOfAlgorithm(asked);
  if (asked === undefined || (algorithm && checksums?.[algorithm])) return;
  throw notImplemented('Another checksum for a copy');
}

/** Copies an open file, which is closed then, to a partial one; returns the name of that. */
async function copyToTemporary(bucket: Bucket, from: number, size: number): Promise<string> {
  let to: ReturnType<typeof makeTemporary> | undefined;
  try {
    to = makeTemporary(bucket);
    await copyContent(from, to.fd, size);
    return to.file;
  } catch (error) {
    if (to === undefined) fs.closeSync(from);
    else bucket.folder.remove(to.file);
    throw error;
  }
}

/** The attributes of the copy: the source's, or those in the request, by its directives. */
function newAttributes(call: Call, source: ObjectPlace, from: ObjectRecord): ObjectAttributes {
  const given = headersToKeep(call.headers);
  const replaces = directive(call, 'x-amz-metadata-directive') === 'REPLACE';
  const { 'x-amz-storage-class': _, ...kept } = storedHeaders(source.bucket, from);
  const storageClass = given['x-amz-storage-class'];
  const tags =
    directive(call, 'x-amz-tagging-directive') === 'REPLACE'
      ? (tagsOfHeader(call.headers) ?? {})
      : from.tags;
  return {
    headers: replaces
      ? given
      : { ...kept, ...(storageClass !== undefined && { 'x-amz-storage-class': storageClass }) },
    ...(tags && { tags }),
    ...(from.checksums && { checksums: from.checksums }),
    ...(from.parts && { parts: from.parts }),
    ...(from.partChecksums && { partChecksums: from.partChecksums }),
  };
}

function directive(call: Call, name: string): 'COPY' | 'REPLACE' {
  const text = header(call.headers, name) ?? 'COPY';
  if (text !== 'COPY' && text !== 'REPLACE') {
    throw new S3Error('InvalidArgument', `Unknown ${name}.`);
  }
  return text;
}

/** Copies a part from an existing object, or from a range of it. */
export async function uploadPartCopy(call: Call): Promise<Answer> {
  const bucket = await bucketOf(call);
  const upload = bucket.uploads.get(call.query.get('uploadId') ?? '', call.key);
  const source = await copySource(call);
  let part: Part | undefined;
  for (let mayLink = true; part === undefined; mayLink = false) {
    part = await copyPart(call, upload, source, mayLink);
  }
  const inner =
    element('LastModified', isoTime(part.modified)) +
    element('ETag', `"${part.etag}"`) +
    checksumElements(part.checksums);
  return { body: xmlDocument('CopyPartResult', inner) };
}
/**
 * Adds the range that a call asks for as a part: with `mayLink` as a second name of the source if that is possible, else
 * as a copy. `undefined` if the source changed while it was read under its second name.
 */
async function copyPart(call: Call, upload: Upload, source: ObjectPlace, mayLink: boolean) {
  const number = partNumber(call);
  const { record, fd, seen } = await openVersion(source, (found) => {
    checkReadConditions(call.headers, found, 'x-amz-copy-source-');
    return copyRange(call, found.size);
  });
  const { offset, length } = seen;
  const end = Math.max(offset, offset + length - 1);
  const data = fs.createReadStream('', { fd, start: offset, end, highWaterMark: CHUNK });
  const payload = { data, length, checksums: new Map(), trailers: new Map() };
  try {
    const linked = mayLink && upload.link(number, source.bucket.folder, record.file, fd);
    if (!linked) return await receivePart(upload, number, payload);
    return await keepPart(upload, number, payload, { ...linked, offset });
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
    const text = 'The x-amz-copy-source-range value must be of the form bytes=first-last';
    throw new S3Error('InvalidArgument', text);
  }
  if (last >= size) throw new S3Error('InvalidRange');
  return { offset: first, length: last - first + 1 };
}

/** Reads `x-amz-copy-source` (`bucket/key?versionId=…`). Amazon takes a plus for a space, and s5cmd sends one. */
async function copySource(call: Call): Promise<ObjectPlace> {
  const text = (header(call.headers, 'x-amz-copy-source') ?? '').replace(/^(\/|%2F)/i, '');
  const question = text.indexOf('?');
  const encoded = question < 0 ? text : text.slice(0, question);
  const path = uriDecode(encoded.replaceAll('+', ' '));
  const slash = path.indexOf('/');
  const key = path.slice(slash + 1);
  if (slash <= 0 || key === '') {
    throw new S3Error('InvalidArgument', 'The copy source must name bucket and key.');
  }
  const query = parseQuery(question < 0 ? '' : text.slice(question + 1));
  const versionId = query.find(([name]) => name === 'versionId')?.[1];
  checkVersionId(versionId);
  return { bucket: await call.store.get(path.slice(0, slash)), key, versionId };
}

/** Up to this size a file is copied in one call, in bytes. */
const SMALL = 128 * 1024;

/** How much of a larger one is read at a time, in bytes. */
const CHUNK = 1024 * 1024;

/**
 * Copies at most `size` bytes of an open file to an empty one, by sharing the blocks if the file system can, and
 * closes both. Another program may shorten the source at the same time: a caller that needs the whole must check
 * whether it has changed. Rejects as `fs` does; half a copy may be left.
 */
export async function copyContent(from: number, to: number, size: number): Promise<void> {
  if (size > SMALL) {
    try {
      // Only by sharing blocks: any other copy never ends if the source becomes shorter.
      const { COPYFILE_FICLONE_FORCE } = fs.constants;
      await copyFile(`/proc/self/fd/${from}`, `/proc/self/fd/${to}`, COPYFILE_FICLONE_FORCE);
    } catch {
      // The streams close the files.
      return pipeline(
        fs.createReadStream('', { fd: from, start: 0, end: size - 1, highWaterMark: CHUNK }),
        fs.createWriteStream('', { fd: to, start: 0 }),
      );
    }
  }
  try {
    if (size <= SMALL) writeNow(to, fs.readFileSync(from).subarray(0, size));
  } finally {
    fs.closeSync(from);
    fs.closeSync(to);
  }
}
