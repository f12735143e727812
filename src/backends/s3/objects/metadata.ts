import type { Metadata } from '../../../core/entry-details.ts';
import {
  formatRfc3339Nano,
  formatRfc3339NanoUtc,
  type ModTime,
  modTimeFromMs,
  parseDecimalSeconds,
} from '../../../core/mod-time.ts';
import { nameFromBytes } from '../../../core/name-bytes.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';

/** Headers of an object that belong to its content, not to users' metadata. */
export const CONTENT_HEADERS: readonly string[] = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
];

/** Names of a lock in metadata, as in rclone. They are never written as metadata. */
export const LOCK_KEYS = {
  mode: 'object-lock-mode',
  until: 'object-lock-retain-until-date',
  hold: 'object-lock-legal-hold-status',
} as const;

/** The prefix of users' metadata. */
export const PREFIX = 'x-amz-meta-';

/** The metadata of an object under rclone's names. `storedTime`: the exact time; by default from the headers. */
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
  for (const name of ['content-type', ...CONTENT_HEADERS]) {
    const value = contentHeader(headers, name);
    if (value) metadata[name] = value;
  }
  const [mode, until, hold] = ['mode', 'retain-until-date', 'legal-hold'].map(
    (name) => headers[`x-amz-object-lock-${name}`],
  );
  if (mode) metadata[LOCK_KEYS.mode] = mode;
  const untilMs = Date.parse(until ?? '');
  if (!Number.isNaN(untilMs)) {
    metadata[LOCK_KEYS.until] = `${new Date(untilMs).toISOString().slice(0, 19)}Z`;
  }
  if (hold) metadata[LOCK_KEYS.hold] = hold;
  const stored = storedTime ?? storedTimeIn(headers);
  if (stored !== undefined) metadata['btime'] = formatRfc3339NanoUtc(stored);
  const tier = headers['x-amz-storage-class'];
  if (tier) metadata['tier'] = tier;
  return metadata;
}

/** When the server stored an object, to the second. */
export function storedTimeIn(headers: HttpHeaders): ModTime | undefined {
  const ms = Date.parse(headers['last-modified'] ?? '');
  return Number.isNaN(ms) ? undefined : modTimeFromMs(ms);
}

/** A header of an object. `aws-chunked` is a transfer encoding, although some servers keep it. */
export function contentHeader(headers: HttpHeaders, name: string): string | undefined {
  const value = headers[name];
  if (name !== 'content-encoding' || value?.includes('aws-chunked') !== true) return value;
  const encodings = value.split(',').map((each) => each.trim());
  return encodings.filter((each) => each !== 'aws-chunked' && each !== '').join(',') || undefined;
}
