import type { Metadata } from '../../../core/entry-details.ts';
import type { LogFields } from '../../../core/log-fields.ts';
import { formatDecimalSeconds, type ModTime } from '../../../core/mod-time.ts';
import type { WriteSource } from '../../../core/remote.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import {
  CONTENT_HEADERS,
  contentHeader,
  isContentHeader,
  LOCK_KEYS,
  PREFIX,
} from '../objects/metadata.ts';
import type { S3Store } from '../store.ts';
import { lockHeaders } from './object-lock.ts';
import type { ObjectUpload } from './proven-entry.ts';

/** The headers of a new object: type, time, metadata, ACL, class, encryption. */
export function objectHeaders(
  store: S3Store,
  { source, mimeType }: ObjectUpload,
): Record<string, string> {
  const { client, settings, headers } = store;
  const { path, modTime, metadata } = source;
  for (const name of headers.unknown) {
    const fields = { name };
    client.context.emit({ type: 'log', level: 'error', path, code: 'header-unknown', fields });
  }
  return {
    'content-type': mimeType,
    ...headers.placement,
    ...(settings.objectLock === undefined ? {} : lockHeaders(store, metadata)),
    ...(metadata === undefined ? {} : headersOfMetadata(store, path, metadata)),
    ...(modTime === undefined ? {} : modTimeHeader(modTime)),
    ...headers.given,
  };
}

/**
 * The headers of a new object that one PUT writes, with the conditions of the write.
 *
 * @param md5 to store as metadata, in hexadecimal
 */
export function putHeaders(
  store: S3Store,
  upload: ObjectUpload,
  md5: string | undefined,
): Record<string, string> {
  const conditions = writeConditions(store, upload.source);
  return {
    ...objectHeaders(store, upload),
    ...conditions,
    ...(md5 === undefined ? {} : md5Header(md5)),
  };
}

/**
 * The conditions that the user sets by `--header-upload`, or of the source; in a multipart upload they are for its
 * completion.
 */
export function writeConditions(
  { headers }: S3Store,
  { replaces }: Pick<WriteSource, 'replaces'>,
): Readonly<Record<string, string>> {
  if (replaces === 'nothing') return { 'if-none-match': '*' };
  if (replaces?.etag !== undefined) return { 'if-match': `"${replaces.etag}"` };
  return headers.conditions;
}

/** The header in which rclone and syncer keep the modification time. */
export function modTimeHeader(modTime: ModTime): Record<string, string> {
  return { [`${PREFIX}mtime`]: formatDecimalSeconds(modTime) };
}

/** The header in which rclone and syncer keep the MD5 (hexadecimal) of a multipart upload. */
export function md5Header(md5: string): Record<string, string> {
  return { [`${PREFIX}md5chksum`]: Buffer.from(md5, 'hex').toString('base64') };
}

/** The header by which the server verifies a body, from its MD5 in hexadecimal; directory buckets refuse it. */
export function contentMd5({ settings }: S3Store, md5: string): Record<string, string> {
  return settings.directoryBucket
    ? {}
    : { 'content-md5': Buffer.from(md5, 'hex').toString('base64') };
}

/** The headers of a file's metadata. Metadata that no header can hold is skipped and logged, in rclone's words. */
export function headersOfMetadata({ client }: S3Store, path: string, metadata: Metadata = {}) {
  const { headers, invalidKeys, invalidValues } = metadataHeaders(metadata);
  const tell = (fields: LogFields['metadata-dropped']) =>
    client.context.emit({ type: 'log', level: 'error', path, code: 'metadata-dropped', fields });
  for (const key of invalidKeys) tell({ key });
  for (const key of invalidValues) {
    tell({ key, value: metadata[key] ?? '' });
  }
  return headers;
}

/** Metadata as headers of an object, and what cannot be a header. */
interface MetadataHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** Keys that cannot be part of a header's name. */
  readonly invalidKeys: readonly string[];
  /** Keys whose values no header can have: control characters, or bytes that are not UTF-8. */
  readonly invalidValues: readonly string[];
}

/** Keys that the server sets itself, or gets otherwise; rclone does not write a tier either. */
const NOT_WRITTEN: readonly string[] = [
  ...['mtime', 'md5chksum', 'tier'],
  ...Object.values(LOCK_KEYS),
];

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** The headers for metadata from another remote or the user, as rclone writes them. */
export function metadataHeaders(metadata: Metadata): MetadataHeaders {
  const headers: Record<string, string> = {};
  const invalidKeys: string[] = [];
  const invalidValues: string[] = [];
  for (const [given, value] of Object.entries(metadata)) {
    const key = given.toLowerCase();
    if (NOT_WRITTEN.includes(key)) continue;
    const isPlain = key === 'content-type' || key === 'x-amz-tagging' || isContentHeader(key);
    if (!TOKEN.test(key)) invalidKeys.push(key);
    else if (/[^\P{Cc}\t\x80-\x9f]/u.test(value) || !value.isWellFormed()) invalidValues.push(key);
    else headers[isPlain ? key : `${PREFIX}${key}`] = value;
  }
  return { headers, invalidKeys, invalidValues };
}

/** All headers of an object to send again when it is copied with new metadata. */
export function headersToKeep(headers: HttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  const names = [
    'content-type',
    'expires',
    'x-amz-website-redirect-location',
    'x-amz-storage-class',
    ...CONTENT_HEADERS,
    ...Object.keys(headers).filter((name) => name.startsWith(PREFIX)),
  ];
  for (const name of names) {
    const value = contentHeader(headers, name);
    if (value !== undefined) kept[name] = utf8Text(value);
  }
  return kept;
}

/** Node reads header values as Latin-1; if their bytes are UTF-8, that was meant. */
function utf8Text(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? value : text;
}
