import { closeSync, lstatSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { formatDecimalSeconds } from '../../../core/mod-time.ts';
import { contentRange, isRangeCurrent, type RequestedRange, readRange } from '../../conditions.ts';
import {
  type Checksums,
  checksumElements,
  checksumHeaders,
  checksumNames,
} from '../body/checksums.ts';
import type { Bucket } from '../store/bucket.ts';
import { changeAttributes } from '../store/commit-object.ts';
import { findObject, type OpenObject, openObject, withObject } from '../store/find-object.ts';
import {
  type ObjectAttributes,
  type ObjectRecord,
  type PartSizes,
  versionIdOf,
} from '../store/object-record.ts';
import { replaceHistory } from '../store/versions.ts';
import type { Answer } from '../wire/answer.ts';
import { element, isoTime, S3Error, xmlDocument } from '../wire/s3-error.ts';
import { headerValue } from '../wire/uri-encoding.ts';
import {
  bucketOf,
  type Call,
  checkReadConditions,
  countHeader,
  header,
  validatorsOf,
} from './call.ts';

/** The content of an object or a range of it, with its headers. */
export const getObject = (call: Call): Promise<Answer> =>
  ofRecentPlace(call, async (place) => {
    const { fd, seen } = await openVersion(place, (record) => describe(place.bucket, record, call));
    const { range, status, headers } = seen;
    return { status, headers, body: { fd, ...range } };
  });

/** The headers of `getObject`. */
export const headObject = (call: Call): Promise<Answer> =>
  ofRecentPlace(call, async (place) => {
    const record = await findVersion(place);
    const { range, status, headers } = describe(place.bucket, record, call);
    return { status, headers: { ...headers, 'content-length': String(range.length) } };
  });

/** Reads the current object of a call in a bucket that was there a moment ago; where that fails, in what is there now. */
async function ofRecentPlace(
  call: Call,
  read: (place: ObjectPlace) => Promise<Answer>,
): Promise<Answer> {
  if (call.query.has('versionId')) return read(await placeOf(call));
  const { store, bucketName, key } = call;
  try {
    return await read({ bucket: await store.recent(bucketName), key, versionId: undefined });
  } catch (error) {
    if (!(error instanceof S3Error) || error.code !== 'NoSuchKey') throw error;
    return read(await placeOf(call));
  }
}

function describe(bucket: Bucket, record: ObjectRecord, call: Call) {
  checkReadConditions(call.headers, record);
  const headers = objectHeaders(bucket, record, call);
  const part = call.query.get('partNumber');
  let range: RequestedRange | undefined;
  if (part !== undefined) {
    range = partRange(record.parts, Number(part), record.size);
    if (record.parts) headers['x-amz-mp-parts-count'] = String(partCount(record.parts));
    Object.assign(headers, askedChecksums(record, call, Number(part)));
  } else if (isRangeCurrent(header(call.headers, 'if-range'), validatorsOf(record))) {
    range = byteRange(header(call.headers, 'range'), record.size);
  }
  if (range === undefined) {
    Object.assign(headers, askedChecksums(record, call));
    return { range: { offset: 0, length: record.size }, status: 200, headers };
  }
  // An empty part cannot be written as a range.
  if (range.length > 0) headers['content-range'] = contentRange(range, record.size);
  return { range, status: range.length > 0 ? 206 : 200, headers };
}

/** Where an object is: the current one of a key, or a certain version. */
export interface ObjectPlace {
  readonly bucket: Bucket;
  readonly key: string;
  readonly versionId: string | undefined;
}

/** The object of a call. Throws `NoSuchBucket`. */
export async function placeOf(call: Call): Promise<ObjectPlace> {
  return { bucket: await bucketOf(call), key: call.key, versionId: call.query.get('versionId') };
}

/** The record of an object. Throws if there is none. */
export async function findVersion(place: ObjectPlace): Promise<ObjectRecord> {
  return versionAmong(place, await findObject(place.bucket, place.key));
}

/** Changes the attributes of an object. */
export async function changeVersion(
  place: ObjectPlace,
  change: (record: ObjectRecord) => Partial<ObjectAttributes>,
): Promise<void> {
  const { bucket, key } = place;
  await withObject(bucket, key, (current) => {
    const record = versionAmong(place, current);
    const attributes = change(record);
    if (record === current) changeAttributes(bucket, record, attributes);
    else {
      const changed = { ...record, ...attributes };
      const versions = (bucket.history.get(key) ?? []).map((each) =>
        each.record === record ? { ...each, record: changed } : each,
      );
      replaceHistory(bucket, key, versions, []);
    }
  });
}

/** Opens an object, which the caller closes; `look` sees its record, and may refuse it by an error. */
export async function openVersion<T>(
  place: ObjectPlace,
  look: (record: ObjectRecord) => T,
): Promise<OpenObject & { seen: T }> {
  const { bucket, key, versionId } = place;
  let open = versionId === undefined ? await openObject(bucket, key) : undefined;
  // A current version can become an old one between the two; the file of an old one can be gone.
  for (let tries = 0; open === undefined && tries < 3; tries++) {
    const record = await findVersion(place);
    const fd = bucket.folder.openFile(record.file);
    if (fd !== undefined) open = { record, fd };
  }
  if (open === undefined) throw noSuch(place);
  try {
    return { ...open, seen: look(open.record) };
  } catch (error) {
    closeSync(open.fd);
    throw error;
  }
}

function noSuch({ key, versionId }: ObjectPlace): S3Error {
  const code = versionId === undefined ? 'NoSuchKey' : 'NoSuchVersion';
  return new S3Error(code, { elements: { Key: key } });
}

/** @param current the current object of the key */
function versionAmong(place: ObjectPlace, current: ObjectRecord | undefined): ObjectRecord {
  const { bucket, key, versionId } = place;
  if (current !== undefined && (versionId === undefined || versionIdOf(current) === versionId)) {
    return current;
  }
  const history = bucket.history.get(key) ?? [];
  const version =
    versionId === undefined ? history[0] : history.find((each) => each.versionId === versionId);
  if (version?.marker) {
    const headers = { 'x-amz-delete-marker': 'true', 'x-amz-version-id': version.versionId };
    if (versionId !== undefined) throw new S3Error('MethodNotAllowed', { headers });
    throw new S3Error('NoSuchKey', { headers, elements: { Key: key } });
  }
  if (version === undefined || versionId === undefined) throw noSuch(place);
  return version.record;
}

/** The requested attributes of an object, as XML. */
export async function getObjectAttributes(call: Call): Promise<Answer> {
  const record = await findVersion(await placeOf(call));
  checkReadConditions(call.headers, record);
  const wanted = (header(call.headers, 'x-amz-object-attributes') ?? '')
    .split(',')
    .map((each) => each.trim());
  let inner = '';
  if (wanted.includes('ETag')) inner += element('ETag', record.etag);
  if (wanted.includes('Checksum') && record.checksums) {
    const type = element('ChecksumType', checksumType(record.checksums) ?? '');
    inner += `<Checksum>${checksumElements(record.checksums)}${type}</Checksum>`;
  }
  if (wanted.includes('ObjectParts') && record.parts) inner += partElements(record, call);
  if (wanted.includes('StorageClass')) {
    inner += element('StorageClass', record.headers['x-amz-storage-class'] ?? 'STANDARD');
  }
  if (wanted.includes('ObjectSize')) inner += element('ObjectSize', record.size);
  const modified = new Date(record.modified).toUTCString();
  return {
    headers: { 'last-modified': modified, ...versionHeaders(record) },
    body: xmlDocument('GetObjectAttributesResponse', inner),
  };
}

/** A page of the parts of an object. `PartsCount` is what the models of the SDKs call `TotalPartsCount`. */
function partElements({ parts = [], size, checksums, partChecksums }: ObjectRecord, call: Call) {
  const count = partCount(parts);
  const marker = countHeader(call, 'x-amz-part-number-marker', 0);
  const max = countHeader(call, 'x-amz-max-parts', 1000);
  const last = Math.min(count, marker + max);
  const [name] = checksumNames(checksums ?? {});
  let rows = '';
  for (let number = marker + 1; number <= last; number++) {
    const value = partChecksums?.[number - 1];
    rows +=
      `<Part>${element('PartNumber', number)}${element('Size', partRange(parts, number, size).length)}` +
      `${name && value ? checksumElements({ [name]: value }) : ''}</Part>`;
  }
  const inner =
    element('PartsCount', count) +
    element('PartNumberMarker', marker) +
    element('NextPartNumberMarker', last) +
    element('MaxParts', max) +
    element('IsTruncated', last < count) +
    rows;
  return `<ObjectParts>${inner}</ObjectParts>`;
}

/** The part in a `Range` header, see `readRange`. Throws `InvalidRange` after the end. */
export function byteRange(text: string | undefined, size: number): RequestedRange | undefined {
  const range = readRange(text, size);
  if (range === 'unsatisfiable') {
    throw new S3Error('InvalidRange', { headers: { 'content-range': `bytes */${size}` } });
  }
  return range;
}

/** The number of parts in which an object was uploaded. */
export function partCount(parts: PartSizes): number {
  return parts.reduce((sum, [count]) => sum + count, 0);
}

/** The bytes of part `number`, counted from 1. An object uploaded whole is its own only part. */
export function partRange(parts: PartSizes | undefined, number: number, size: number) {
  let offset = 0;
  let before = 0;
  for (const [count, length] of parts ?? [[1, size]]) {
    if (Number.isInteger(number) && number > before && number <= before + count) {
      return { offset: offset + (number - before - 1) * length, length };
    }
    before += count;
    offset += count * length;
  }
  throw new S3Error('InvalidPartNumber');
}

/** Headers that a parameter (`response-expires`) can replace in a response. */
const OVERRIDABLE: readonly string[] = [
  'content-type',
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'expires',
];
/** Headers that are stored with an object and returned unchanged. */
const KEPT = [...OVERRIDABLE, 'x-amz-website-redirect-location'];

/** Most user metadata of one object: names and values, in bytes. */
const MAX_METADATA = 2048;

/** The headers of a request to store with its object. Throws `MetadataTooLarge`. */
export function headersToKeep(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = { 'content-type': 'binary/octet-stream' };
  for (const name of KEPT) {
    const value = header(headers, name);
    if (value !== undefined) kept[name] = value;
  }
  // A transfer encoding, not a property of the object.
  const chunked = /(^|,)\s*aws-chunked\s*(?=,|$)/g;
  const encoding = kept['content-encoding']?.replace(chunked, '').replace(/^[\s,]+/, '');
  if (encoding) kept['content-encoding'] = encoding;
  else delete kept['content-encoding'];
  let bytes = 0;
  for (const name in headers) {
    if (!name.startsWith('x-amz-meta-')) continue;
    const value = header(headers, name) ?? '';
    kept[name] = value;
    bytes += name.length - 'x-amz-meta-'.length + value.length;
  }
  if (bytes > MAX_METADATA) throw new S3Error('MetadataTooLarge');
  const storageClass = header(headers, 'x-amz-storage-class');
  if (storageClass !== undefined && storageClass !== 'STANDARD') {
    kept['x-amz-storage-class'] = storageClass;
  }
  return kept;
}

/** The header with the version written; that of a suspended bucket has no id. */
export function versionHeaders({ versionId = 'null' }: ObjectRecord): Record<string, string> {
  return versionId === 'null' ? {} : { 'x-amz-version-id': versionId };
}

/** The headers of an object for GET and HEAD, without length and range. */
function objectHeaders(bucket: Bucket, object: ObjectRecord, call: Call) {
  const headers: Record<string, string> = {
    'content-type': 'binary/octet-stream',
    ...storedHeaders(bucket, object),
    etag: `"${object.etag}"`,
    'last-modified': new Date(object.modified).toUTCString(),
    'accept-ranges': 'bytes',
  };
  const { retention, legalHold } = object;
  if (retention !== undefined) {
    headers['x-amz-object-lock-mode'] = retention.mode;
    headers['x-amz-object-lock-retain-until-date'] = isoTime(retention.until);
  }
  if (legalHold !== undefined) headers['x-amz-object-lock-legal-hold'] = legalHold;
  if (bucket.settings.versioning !== undefined) headers['x-amz-version-id'] = versionIdOf(object);
  const tags = Object.keys(object.tags ?? {}).length;
  if (tags > 0) headers['x-amz-tagging-count'] = String(tags);
  for (const [parameter, value] of call.query) {
    const name = parameter.startsWith('response-') ? parameter.slice('response-'.length) : '';
    if (OVERRIDABLE.includes(name)) headers[name] = headerValue(value);
  }
  return headers;
}

/** The checksums of the object, or of one of its parts, if the client requests them. */
function askedChecksums(object: ObjectRecord, call: Call, part?: number) {
  if (header(call.headers, 'x-amz-checksum-mode')?.toUpperCase() !== 'ENABLED') return {};
  if (object.checksums === undefined) return {};
  const type = checksumTypeHeader(object.checksums);
  if (part === undefined || !object.parts) return { ...checksumHeaders(object.checksums), ...type };
  const [name] = checksumNames(object.checksums);
  const value = object.partChecksums?.[part - 1];
  return name && value ? { ...checksumHeaders({ [name]: value }), ...type } : {};
}

/** The header with the type of an object's checksums. */
export function checksumTypeHeader(checksums: Checksums): Record<string, string> {
  const type = checksumType(checksums);
  return type === undefined ? {} : { 'x-amz-checksum-type': type };
}

/** Whether checksums are those of all bytes or of the parts' checksums; `undefined` if there are none. */
export function checksumType(checksums: Checksums): 'COMPOSITE' | 'FULL_OBJECT' | undefined {
  const [value] = Object.values(checksums);
  if (value === undefined) return undefined;
  return value.includes('-') ? 'COMPOSITE' : 'FULL_OBJECT';
}

/** The headers stored with an object; an external file has its own time, as rclone writes times. */
export function storedHeaders(bucket: Bucket, object: ObjectRecord): Record<string, string> {
  if (!object.outside) return { ...object.headers };
  const path = bucket.folder.at(object.file);
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return { ...object.headers };
  return { ...object.headers, 'x-amz-meta-mtime': formatDecimalSeconds(stats.mtimeNs) };
}
