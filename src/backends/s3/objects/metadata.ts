import type { IncomingHttpHeaders } from 'node:http';
import type { ModTime } from '../../../core/mod-time.ts';
import { formatDecimalSeconds, modTimeToMs, parseDecimalSeconds } from '../../../core/mod-time.ts';
import { headerText } from '../client/request.ts';

/** Headers of an object that are not its users' metadata but belong to its content. */
const CONTENT_HEADERS = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
] as const;

/** What comes before the names of users' metadata. */
const PREFIX = 'x-amz-meta-';

/** The metadata of an object under the names rclone gives it. */
export function entryMetadata(headers: IncomingHttpHeaders): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    if (!name.startsWith(PREFIX)) continue;
    const key = name.slice(PREFIX.length);
    const value = utf8Text(headerText(headers, name) ?? '');
    if (key === 'md5chksum') continue;
    if (key !== 'mtime') metadata[key] = value;
    else {
      const modTime = parseDecimalSeconds(value);
      if (modTime !== undefined) metadata['mtime'] = isoTime(modTime);
    }
  }
  const more = ['content-type', ...CONTENT_HEADERS];
  for (const name of more) {
    const value = contentHeader(headers, name);
    if (value !== undefined) metadata[name] = value;
  }
  const stored = Date.parse(headerText(headers, 'last-modified') ?? '');
  if (!Number.isNaN(stored)) metadata['btime'] = new Date(stored).toISOString().replace('.000', '');
  const tier = headerText(headers, 'x-amz-storage-class');
  if (tier !== undefined) metadata['tier'] = tier;
  return metadata;
}

/** The headers with which an object gets metadata that came from another store or the user. */
export function metadataHeaders(
  metadata: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [given, value] of Object.entries(metadata)) {
    const name = given.toLowerCase();
    if (name === 'mtime' || name === 'btime' || name === 'md5chksum') continue;
    if (name === 'tier') headers['x-amz-storage-class'] = value;
    else if (name === 'content-type' || isContentHeader(name)) headers[name] = value;
    else if (name === 'x-amz-tagging') headers[name] = value;
    else if (/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) headers[`${PREFIX}${name}`] = value;
  }
  return headers;
}

/** The header in which rclone and syncer keep the modification time. */
export function modTimeHeader(modTime: ModTime): Record<string, string> {
  return { [`${PREFIX}mtime`]: formatDecimalSeconds(modTime) };
}

/** The header in which rclone and syncer keep the MD5 (hexadecimal) of what went up in parts. */
export function md5Header(md5: string): Record<string, string> {
  return { [`${PREFIX}md5chksum`]: Buffer.from(md5, 'hex').toString('base64') };
}

/** Everything of an object that must be said again when it is copied with new metadata. */
export function headersToKeep(headers: IncomingHttpHeaders): Record<string, string> {
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

/** A header of an object. `aws-chunked` is how a body once came, not what it is: some stores keep it nevertheless. */
function contentHeader(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headerText(headers, name);
  if (name !== 'content-encoding' || value?.includes('aws-chunked') !== true) return value;
  const encodings = value.split(',').map((each) => each.trim());
  return encodings.filter((each) => each !== 'aws-chunked' && each !== '').join(',') || undefined;
}

function isContentHeader(name: string): boolean {
  return (CONTENT_HEADERS as readonly string[]).includes(name);
}

/** Node reads header values as Latin-1; where their bytes are UTF-8, that is what was meant. */
function utf8Text(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? value : text;
}

/** RFC 3339 with as many decimals as there are, in UTC. */
export function isoTime(modTime: ModTime): string {
  const seconds = new Date(modTimeToMs(modTime)).toISOString().slice(0, 19);
  const fraction = /\.\d+$/.exec(formatDecimalSeconds(modTime < 0n ? -modTime : modTime))?.[0];
  return `${seconds}${fraction ?? ''}Z`;
}
