import type { Metadata } from '../../../core/entry-details.ts';
import type { LogFields } from '../../../core/log-fields.ts';
import {
  formatDecimalSeconds,
  type ModTime,
  modTimeToMs,
  parseRfc3339,
} from '../../../core/mod-time.ts';
import { isOwnEntry } from '../../../core/own-names.ts';
import type { FileEntry, WriteSource } from '../../../core/remote.ts';
import { parseDuration } from '../../../go/quantities.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import type { S3Client } from '../client/s3-client.ts';
import { CONTENT_HEADERS, contentHeader, LOCK_KEYS, PREFIX } from '../objects/object-entry.ts';
import type { S3Settings } from '../settings.ts';

type Headers = Readonly<Record<string, string>>;

/** Headers of an object that the user may set by `--header-upload`, besides metadata. */
const SETTABLE =
  /^(?:cache-control|content-(?:disposition|encoding|language|type)|x-amz-tagging|x-amz-meta-.+)$/;

/** Conditions of a write (S3 documents them for PutObject and CompleteMultipartUpload). */
const CONDITION = /^if-(?:none-)?match$/;

/** The headers of the writes of a run: what they have in common is computed once. */
export class WriteHeaders {
  readonly #client: S3Client;
  /** ACL, storage class and encryption of every object written or copied. */
  readonly placement: Headers;
  /** The header of requests that may end a retention of the mode GOVERNANCE. */
  readonly bypass: Headers;
  /** What the user sets by `--header-upload`: for objects, as conditions, and what an object cannot have. */
  readonly #given: Headers;
  /** New objects are locked by the request that writes them. */
  readonly #locks: boolean;
  readonly #conditions: Headers;
  readonly #unknown: readonly string[];

  constructor(client: S3Client) {
    const { settings, uploadHeaders } = client;
    const matching = (wanted: RegExp) =>
      Object.fromEntries(Object.entries(uploadHeaders).filter(([name]) => wanted.test(name)));
    this.#client = client;
    this.placement = placementHeaders(settings);
    this.bypass = settings.bypassGovernance ? { 'x-amz-bypass-governance-retention': 'true' } : {};
    this.#given = matching(SETTABLE);
    this.#locks = settings.objectLock?.afterUpload === false;
    this.#conditions = matching(CONDITION);
    this.#unknown = Object.keys(uploadHeaders).filter(
      (name) => !SETTABLE.test(name) && !CONDITION.test(name),
    );
  }

  /** Of a new object: type, time, metadata, ACL, class, encryption, lock. `md5`: to store, in hexadecimal. */
  object(
    { path, modTime, metadata }: Pick<WriteSource, 'path' | 'modTime' | 'metadata'>,
    mimeType: string,
    md5: string | undefined,
  ): Record<string, string> {
    const { emit } = this.#client.context;
    for (const name of this.#unknown) {
      emit({ type: 'log', level: 'error', path, code: 'header-unknown', fields: { name } });
    }
    const headers: Record<string, string> = { 'content-type': mimeType };
    Object.assign(headers, this.placement);
    // A lock or a marker is read again by other runs, which an archive would not let them.
    if (isOwnEntry({ kind: 'file', path })) delete headers['x-amz-storage-class'];
    if (this.#locks) Object.assign(headers, this.lock(metadata));
    if (metadata !== undefined) Object.assign(headers, this.metadata(path, metadata));
    Object.assign(headers, modTimeHeader(modTime));
    Object.assign(headers, this.#given);
    if (md5 !== undefined) headers[`${PREFIX}md5chksum`] = base64Of(md5);
    return headers;
  }

  /** Of a copy, besides its metadata; `tier`: the storage class of its source, kept as rclone since 1.73 does. */
  copy(
    metadata: Metadata | undefined,
    { tier = 'STANDARD' }: Pick<FileEntry, 'tier'> = {},
  ): Headers {
    const kept = tier === 'STANDARD' ? {} : { 'x-amz-storage-class': tier };
    return { ...kept, ...this.placement, ...(this.#locks && this.lock(metadata)) };
  }

  /** The user's conditions (`--header-upload`), or those of the source; of a multipart upload for its completion. */
  conditions({ replaces }: Pick<WriteSource, 'replaces'>): Headers {
    if (replaces === 'nothing') return { 'if-none-match': '*' };
    return replaces?.etag === undefined ? this.#conditions : ifMatch(replaces.etag);
  }

  /** The header by which the server verifies a body, from its MD5 in hexadecimal; directory buckets refuse it. */
  contentMd5(md5: string): Headers {
    return this.#client.settings.directoryBucket ? {} : { 'content-md5': base64Of(md5) };
  }

  /** The headers of a file's metadata. Metadata that no header can hold is skipped and logged, in rclone's words. */
  metadata(path: string, metadata: Metadata = {}): Headers {
    const { headers, invalidKeys, invalidValues } = metadataHeaders(metadata);
    const tell = (fields: LogFields['metadata-dropped']) =>
      this.#client.context.emit({
        type: 'log',
        level: 'error',
        path,
        code: 'metadata-dropped',
        fields,
      });
    for (const key of invalidKeys) tell({ key });
    for (const key of invalidValues) tell({ key, value: metadata[key] ?? '' });
    return headers;
  }

  /** The headers that lock a new object or a copy. */
  lock(metadata: Metadata = {}): Headers {
    if (!this.#locks) return {};
    const { mode, until, hold } = this.wantedLock(metadata);
    return {
      ...(mode && until
        ? { 'x-amz-object-lock-mode': mode, 'x-amz-object-lock-retain-until-date': until }
        : {}),
      ...(hold ? { 'x-amz-object-lock-legal-hold': hold } : {}),
    };
  }

  /** The lock that the options give a new object with this metadata: each part of it may be absent. */
  wantedLock(
    metadata: Metadata = {},
  ): Readonly<Partial<Record<'mode' | 'until' | 'hold', string | undefined>>> {
    const { settings, context } = this.#client;
    if (settings.objectLock === undefined) return {};
    const { mode, retainUntil, legalHold } = settings.objectLock;
    const copied = (value: string, key: string) => (value === 'COPY' ? metadata[key] : value);
    let until = copied(retainUntil, LOCK_KEYS.until);
    if (retainUntil !== 'COPY' && retainUntil !== '') {
      const time = parseRfc3339(retainUntil);
      const nowMs = context.clock.now();
      const ms = time === undefined ? nowMs + parseDuration(retainUntil, nowMs) : modTimeToMs(time);
      until = new Date(ms).toISOString();
    }
    const kept = copied(mode, LOCK_KEYS.mode);
    const hold = copied(legalHold, LOCK_KEYS.hold);
    return kept && until ? { mode: kept, until, hold } : { hold };
  }
}

/** The headers that the settings add to every object written or copied. */
export function placementHeaders(settings: S3Settings): Record<string, string> {
  const { acl, storageClass, encryption } = settings;
  return {
    ...(acl === '' ? {} : { 'x-amz-acl': acl }),
    ...(storageClass === '' ? {} : { 'x-amz-storage-class': storageClass }),
    ...encryption.writeHeaders,
  };
}

/** The condition that the object has this ETag; none without one. */
export function ifMatch(etag: string | undefined): Headers {
  return etag === undefined ? {} : { 'if-match': `"${etag}"` };
}

/** The header in which rclone and syncer keep the modification time. */
export function modTimeHeader(modTime: ModTime | undefined): Record<string, string> {
  return modTime === undefined ? {} : { [`${PREFIX}mtime`]: formatDecimalSeconds(modTime) };
}

const base64Of = (md5: string): string => Buffer.from(md5, 'hex').toString('base64');

/** Keys that the server sets itself, or gets otherwise; rclone does not write a tier either. */
const NOT_WRITTEN: readonly string[] = [
  ...['mtime', 'md5chksum', 'tier'],
  ...Object.values(LOCK_KEYS),
];

/** Keys that are headers of their own. */
const PLAIN: readonly string[] = ['content-type', 'x-amz-tagging', ...CONTENT_HEADERS];

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * The headers for metadata from another remote or the user, as rclone writes them; the keys that cannot be part of a
 * header's name; and those whose values no header can have: control characters, or bytes that are not UTF-8.
 */
export function metadataHeaders(metadata: Metadata) {
  const headers: Record<string, string> = {};
  const invalidKeys: string[] = [];
  const invalidValues: string[] = [];
  for (const [given, value] of Object.entries(metadata)) {
    const key = given.toLowerCase();
    if (NOT_WRITTEN.includes(key)) continue;
    if (!TOKEN.test(key)) invalidKeys.push(key);
    else if (/[^\P{Cc}\t\x80-\x9f]/u.test(value) || !value.isWellFormed()) invalidValues.push(key);
    else headers[PLAIN.includes(key) ? key : `${PREFIX}${key}`] = value;
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
    if (value === undefined) continue;
    // Node reads header values as Latin-1; if their bytes are UTF-8, that was meant.
    const text = Buffer.from(value, 'latin1').toString('utf8');
    kept[name] = text.includes('\ufffd') ? value : text;
  }
  return kept;
}
