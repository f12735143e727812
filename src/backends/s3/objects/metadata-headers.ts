import type { Metadata } from '../../../core/entry-details.ts';
import { formatDecimalSeconds, type ModTime } from '../../../core/mod-time.ts';
import type { HttpHeaders } from '../../../http/answer-head.ts';
import type { S3Settings } from '../settings.ts';
import { CONTENT_HEADERS, contentHeader, isContentHeader, LOCK_KEYS, PREFIX } from './metadata.ts';

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

/** The header in which rclone and syncer keep the modification time. */
export function modTimeHeader(modTime: ModTime): Record<string, string> {
  return { [`${PREFIX}mtime`]: formatDecimalSeconds(modTime) };
}

/** The header in which rclone and syncer keep the MD5 (hexadecimal) of a multipart upload. */
export function md5Header(md5: string): Record<string, string> {
  return { [`${PREFIX}md5chksum`]: Buffer.from(md5, 'hex').toString('base64') };
}

/** `md5Header` of an upload in one request, whose ETag is the MD5 on most servers. */
export function keptMd5(
  etagIsNotMd5: boolean,
  { disableChecksum }: Pick<S3Settings, 'disableChecksum'>,
  md5: string | undefined,
): Record<string, string> {
  const isNeeded = etagIsNotMd5 && !disableChecksum;
  return isNeeded && md5 !== undefined ? md5Header(md5) : {};
}

/** The header by which the server verifies a body, from its MD5 in hexadecimal; directory buckets refuse it. */
export function contentMd5(
  { directoryBucket }: Pick<S3Settings, 'directoryBucket'>,
  md5: string,
): Record<string, string> {
  return directoryBucket ? {} : { 'content-md5': Buffer.from(md5, 'hex').toString('base64') };
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
