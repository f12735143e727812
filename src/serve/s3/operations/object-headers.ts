import { lstatSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { formatDecimalSeconds } from '../../../core/mod-time.ts';
import { type Checksums, checksumHeaders, checksumNames } from '../body/checksums.ts';
import type { Bucket } from '../store/bucket.ts';
import { type ObjectRecord, versionIdOf } from '../store/object-record.ts';
import { isoTime, S3Error } from '../wire/s3-error.ts';
import { headerValue } from '../wire/uri-encoding.ts';
import { type Call, header } from './call.ts';

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
export function objectHeaders(bucket: Bucket, object: ObjectRecord, call: Call) {
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
export function askedChecksums(object: ObjectRecord, call: Call, part?: number) {
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
