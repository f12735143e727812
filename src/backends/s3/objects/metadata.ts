import type { Metadata } from '../../../core/entry-details.ts';
import {
  formatDecimalSeconds,
  formatRfc3339Nano,
  formatRfc3339NanoUtc,
  type ModTime,
  modTimeFromMs,
  parseDecimalSeconds,
} from '../../../core/mod-time.ts';
import { nameFromBytes } from '../../../core/name-bytes.ts';
import type { HttpHeaders } from '../../../http/answer-head.ts';

/** Headers of an object that belong to its content, not to users' metadata. */
const CONTENT_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
] as const;

/** The prefix of users' metadata. */
const PREFIX = 'x-amz-meta-';

/**
 * The metadata of an object under rclone's names.
 *
 * @param storedTime the exact time of writing, if known; else from the headers
 */
export function entryMetadata(headers: HttpHeaders, storedTime?: ModTime): Metadata {
  const metadata: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    if (!name.startsWith(PREFIX)) continue;
    const key = name.slice(PREFIX.length);
    const value = nameFromBytes(Buffer.from(headers[name] ?? '', 'latin1'));
    if (key === 'md5chksum') continue;
    if (key !== 'mtime') metadata[key] = value;
    else {
      const modTime = parseDecimalSeconds(value);
      if (modTime !== undefined) metadata['mtime'] = formatRfc3339Nano(modTime);
    }
  }
  const more = ['content-type', ...CONTENT_HEADERS];
  for (const name of more) {
    const value = contentHeader(headers, name);
    if (value) metadata[name] = value;
  }
  const stored = storedTime ?? storedTimeIn(headers);
  if (stored !== undefined) metadata['btime'] = formatRfc3339NanoUtc(stored);
  const tier = headers['x-amz-storage-class'];
  if (tier) metadata['tier'] = tier;
  return metadata;
}

/** Metadata as headers of an object, and what cannot be a header. */
export interface MetadataHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** Keys that cannot be part of a header's name. */
  readonly invalidKeys: readonly string[];
  /** Keys whose values no header can have: control characters, or bytes that are not UTF-8. */
  readonly invalidValues: readonly string[];
}

/** Keys that the server sets itself, or gets otherwise; rclone does not write a tier either. */
const NOT_WRITTEN: readonly string[] = ['mtime', 'md5chksum', 'tier'];

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

/** When the server stored an object, to the second. */
export function storedTimeIn(headers: HttpHeaders): ModTime | undefined {
  const ms = Date.parse(headers['last-modified'] ?? '');
  return Number.isNaN(ms) ? undefined : modTimeFromMs(ms);
}

/** The header in which rclone and syncer keep the modification time. */
export function modTimeHeader(modTime: ModTime): Record<string, string> {
  return { [`${PREFIX}mtime`]: formatDecimalSeconds(modTime) };
}

/** The header in which rclone and syncer keep the MD5 (hexadecimal) of a multipart upload. */
export function md5Header(md5: string): Record<string, string> {
  return { [`${PREFIX}md5chksum`]: Buffer.from(md5, 'hex').toString('base64') };
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

/** A header of an object. `aws-chunked` is a transfer encoding, although some servers keep it. */
function contentHeader(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  if (name !== 'content-encoding' || value?.includes('aws-chunked') !== true) return value;
  const encodings = value.split(',').map((each) => each.trim());
  return encodings.filter((each) => each !== 'aws-chunked' && each !== '').join(',') || undefined;
}

function isContentHeader(name: string): boolean {
  return (CONTENT_HEADERS as readonly string[]).includes(name);
}

/** Node reads header values as Latin-1; if their bytes are UTF-8, that was meant. */
function utf8Text(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? value : text;
}
