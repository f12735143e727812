import type { Metadata, PartsMd5 } from '../../../core/entry-details.ts';
import type { Hashes } from '../../../core/hash-names.ts';
import {
  formatRfc3339Nano,
  formatRfc3339NanoUtc,
  type ModTime,
  modTimeFromMs,
  parseDecimalSeconds,
} from '../../../core/mod-time.ts';
import { nameFromBytes } from '../../../core/name-bytes.ts';
import type { FileEntry } from '../../../core/remote.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import { bareEtag } from '../../s3-protocol/etag.ts';
import { CRC32_HEADER, toldCrc32 } from '../checksums.ts';
import type { ListedKey } from '../xml/read-answer.ts';

const MD5 = /^[0-9a-f]{32}$/i;

/** The usual storage class: one text for all entries, and not one from each document. */
const STANDARD = 'STANDARD';

/** The MD5 in an ETag, in lower case; `undefined` if it is none (multipart uploads: `…-3`). */
export function md5OfEtag(etag: string | undefined): string | undefined {
  if (etag?.length !== 32) return undefined;
  // As nearly all servers write it; the expression takes three times as long.
  for (let at = 0; at < 32; at++) {
    const code = etag.charCodeAt(at);
    const isHex = (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66);
    if (!isHex) return MD5.test(etag) ? etag.toLowerCase() : undefined;
  }
  return etag;
}

/** A file as an entry of a listing. */
export function fileEntry(path: string, key: ListedKey, etagIsNotMd5: boolean): FileEntry {
  const md5 = etagIsNotMd5 ? undefined : md5OfEtag(key.etag);
  const { size, etag, modifiedMs, storageClass } = key;
  const tier = storageClass === STANDARD ? STANDARD : storageClass;
  // A listing creates millions of these, nearly all with all properties. Each that is added later costs an array.
  if (md5 !== undefined && modifiedMs !== undefined && tier !== '') {
    const storedTime = modTimeFromMs(modifiedMs);
    return { kind: 'file', path, size, storedTime, hashes: { md5 }, etag, tier };
  }
  const entry: { -readonly [Name in keyof FileEntry]: FileEntry[Name] } = {
    kind: 'file',
    path,
    size,
  };
  if (modifiedMs !== undefined) entry.storedTime = modTimeFromMs(modifiedMs);
  if (md5 !== undefined) entry.hashes = { md5 };
  if (etag !== '') entry.etag = etag;
  if (tier !== '') entry.tier = tier;
  return entry;
}

/** A file from the response to HEAD or GET, with all its properties. `listed`: its entry from an earlier listing. */
export function fileFromHeaders(
  path: string,
  headers: HttpHeaders,
  etagIsNotMd5: boolean,
  listed?: FileEntry,
): FileEntry {
  const etag = etagOf(headers);
  const stored = storedTimeIn(headers);
  const kept = parseDecimalSeconds(headers['x-amz-meta-mtime'] ?? '');
  const { toldAt: told } = toldAt(headers);
  // LastModified is only to the second; a listing may have it more exactly.
  const exact = listed?.etag === etag ? listed?.storedTime : undefined;
  const isExact =
    exact !== undefined &&
    stored !== undefined &&
    exact - stored >= 0n &&
    exact - stored < 1_000_000_000n;
  const storedTime = isExact ? exact : stored;
  const modTime = kept ?? storedTime;
  const length = headers['content-length'] ?? '';
  const size = /^\d+$/.test(length) ? Number(length) : -1;
  // The ETag is made of MD5s: of the content, or of its parts.
  const tellsMd5 = !etagIsNotMd5 && !isKeyEncrypted(headers);
  const inParts = tellsMd5 ? partsMd5(etag, size) : undefined;
  let md5 = tellsMd5 ? md5OfEtag(etag) : undefined;
  // Of a multipart upload, in its metadata.
  const sum = headers['x-amz-meta-md5chksum'];
  if (md5 === undefined && sum !== undefined) {
    const decoded = Buffer.from(sum, 'base64');
    if (decoded.length === 16) md5 = decoded.toString('hex');
  }
  const crc32 = headers[CRC32_HEADER] === undefined ? undefined : toldCrc32(headers);
  const mimeType = headers['content-type'];
  const file = new FileOfHeaders(path, size, headers, storedTime);
  if (modTime !== undefined) file.modTime = modTime;
  if (storedTime !== undefined) file.storedTime = storedTime;
  if (told !== undefined) file.toldAt = told;
  if (md5 !== undefined) file.hashes = crc32 === undefined ? { md5 } : { md5, crc32 };
  else if (crc32 !== undefined) file.hashes = { crc32 };
  if (inParts !== undefined) file.partsMd5 = inParts;
  if (etag !== undefined) file.etag = etag;
  if (mimeType !== undefined) file.mimeType = mimeType;
  file.tier = headers['x-amz-storage-class'] ?? STANDARD;
  return file;
}

/** Its metadata is computed when it is read or copied. With a getter in a literal every entry is of another shape. */
class FileOfHeaders implements FileEntry {
  readonly kind = 'file';
  readonly path: string;
  readonly size: number;
  declare modTime?: ModTime;
  declare storedTime?: ModTime;
  declare toldAt?: ModTime;
  declare hashes?: Hashes;
  declare partsMd5?: PartsMd5;
  declare etag?: string;
  declare mimeType?: string;
  declare tier?: string;
  declare readonly metadata: Metadata;
  readonly #headers: HttpHeaders;
  readonly #storedTime: ModTime | undefined;

  constructor(path: string, size: number, headers: HttpHeaders, storedTime: ModTime | undefined) {
    this.path = path;
    this.size = size;
    this.#headers = headers;
    this.#storedTime = storedTime;
    Object.defineProperty(this, 'metadata', FileOfHeaders.#metadata);
  }

  static readonly #metadata = {
    enumerable: true,
    configurable: true,
    get(this: FileOfHeaders) {
      return entryMetadata(this.#headers, this.#storedTime);
    },
  };
}

/** The time of the response, as part of an entry. */
export function toldAt(headers: HttpHeaders): Pick<FileEntry, 'toldAt'> {
  const ms = Date.parse(headers['date'] ?? '');
  return Number.isNaN(ms) ? {} : { toldAt: modTimeFromMs(ms) };
}

/** The version in a response, as part of an entry; that of a bucket without versions is called `null`. */
export function versionIn(headers: HttpHeaders): Pick<FileEntry, 'version'> {
  const version = headers['x-amz-version-id'];
  return version === undefined || version === 'null' || version === '' ? {} : { version };
}

/** The ETag of a response, without quotes. */
export function etagOf(headers: HttpHeaders): string | undefined {
  const etag = headers['etag'];
  return etag === undefined || etag === '' ? undefined : bareEtag(etag);
}

/** What the response to a write shows of the object. */
export function answerOfWrite(headers: HttpHeaders) {
  const etag = etagOf(headers);
  const isEncrypted = isKeyEncrypted(headers);
  return {
    etag,
    /** Its ETag in lower case, if that may be its MD5. */
    md5: isEncrypted ? undefined : md5OfEtag(etag),
    isKeyEncrypted: isEncrypted,
    /** The time of the response, and the version, as parts of an entry. */
    told: { ...versionIn(headers), ...toldAt(headers) },
  };
}

/** Whether the response has an encryption under which ETags are no MD5s. */
export function isKeyEncrypted(headers: HttpHeaders): boolean {
  return (
    headers['x-amz-server-side-encryption']?.startsWith('aws:kms') === true ||
    headers['x-amz-server-side-encryption-customer-algorithm'] !== undefined
  );
}

const MIB = 1024 * 1024;

/** The PartsMd5 of a multipart ETag. Its part length is a guess in whole MiB; `undefined` with too much choice. */
export function partsMd5(etag: string | undefined, size: number): PartsMd5 | undefined {
  if (etag?.[32] !== '-') return undefined;
  const [, digest, count] = /^([0-9a-f]{32})-(\d{1,5})$/i.exec(etag) ?? [];
  if (digest === undefined) return undefined;
  const partLength = likelyPartLength(size, Number(count));
  return partLength === undefined ? undefined : { partLength, digest: digest.toLowerCase() };
}

/** The one length in whole MiB that makes `count` parts, or among several the one power of two. */
function likelyPartLength(size: number, count: number): number | undefined {
  if (size <= 0 || count < 1) return undefined;
  if (count === 1) return size;
  const least = Math.ceil(size / count / MIB);
  const most = Math.ceil(size / (count - 1) / MIB) - 1;
  if (least > most) return undefined;
  if (least === most) return least * MIB;
  const powers = [];
  for (let power = 1; power <= most; power *= 2) if (power >= least) powers.push(power);
  const [only] = powers;
  return powers.length === 1 && only !== undefined ? only * MIB : undefined;
}

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
function storedTimeIn(headers: HttpHeaders): ModTime | undefined {
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
