import { hasCode, SyncerError } from '../../../core/errors.ts';
import type { ModTime } from '../../../core/mod-time.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import type { HttpHeaders } from '../../http/answer-parser.ts';
import { CRC32_HEADER } from '../checksums.ts';
import { headObject } from '../objects/head-object.ts';
import { answerOfWrite, etagOf, toldAt, versionIn } from '../objects/object-entry.ts';
import type { S3Store } from '../store.ts';
import type { PartSums } from './source-parts.ts';

/** A file to write, with its target and what is known of it. */
export interface ObjectUpload {
  readonly source: WriteSource;
  readonly bucket: string;
  readonly key: string;
  /** Of the source, else by the name's extension. */
  readonly mimeType: string;
  /** Known before the content is read, in hexadecimal. */
  readonly md5: string | undefined;
  /** Of its parts, by number, as far as they are known before they are read to be sent. */
  readonly sums?: ReadonlyMap<number, PartSums> | undefined;
}

/** The content sent, and the headers of the response. */
export interface SentObject {
  /** In hexadecimal; absent if unknown. */
  readonly md5?: string | undefined;
  /** In bytes. */
  readonly size: number;
  readonly headers: HttpHeaders;
  /** Of all bytes, sent with them; absent if not sent. */
  readonly crc32?: string | undefined;
  /** The server may not have understood it: it is looked up whatever `no_head` says. */
  readonly isTrial?: boolean;
  /** Of a multipart upload that the server reports as completed, each part proven. */
  readonly parts?: {
    /** The ETag of its parts. */
    readonly etag: string;
    /** The ETag in the last response. */
    readonly told: string | undefined;
    /** The earliest time at which the server can have written it; absent if unknown. */
    readonly since?: ModTime | undefined;
  };
}

/** The entry after one PUT, proven by MD5 or CRC-32, else looked up. Rejects with `corrupted` or `bad-answer`. */
export async function provenEntry(store: S3Store, upload: ObjectUpload, sent: SentObject, op: Op) {
  const { headers, md5, crc32, isTrial = false } = sent;
  const { encryption, noHead } = store.settings;
  const written = answerOfWrite(headers);
  const { etag } = written;
  // Others may have been written under another default.
  if (written.isKeyEncrypted) store.listedEtags.isMd5.set(upload.bucket, false);
  const entry = writtenEntry(upload, sent, etag, written.told);
  const storedMd5 = md5 === undefined || encryption.etagIsNotMd5 ? undefined : written.md5;
  const storedCrc32 = crc32 === undefined ? undefined : headers[CRC32_HEADER];
  if (storedMd5 !== undefined && storedMd5 !== md5) {
    throw holdsOther(upload, `MD5 ${storedMd5}, not ${md5}`, entry);
  }
  if (storedCrc32 !== undefined && storedCrc32 !== crc32) {
    throw holdsOther(upload, `CRC-32 ${storedCrc32}, not ${crc32}`, entry);
  }
  if (storedMd5 !== undefined || storedCrc32 !== undefined) return entry;
  // On most servers no single PUT gets the ETag of a multipart upload.
  const isOwn = etag !== undefined && !/^[0-9a-f]{32}-\d+$/i.test(etag);
  if (isOwn && !isTrial && noHead) return entry;
  const there = await lookAfter(store, upload, sent, op);
  return writtenEntry(upload, sent, there.etag);
}

/** The file as it was written. */
export function writtenEntry(
  { source, mimeType }: ObjectUpload,
  { md5, size, headers }: SentObject,
  etag: string | undefined,
  told: Pick<FileEntry, 'toldAt' | 'version'> = { ...toldAt(headers), ...versionIn(headers) },
): FileEntry {
  const file: { -readonly [Name in keyof FileEntry]: FileEntry[Name] } = {
    kind: 'file',
    path: source.path,
    size,
    mimeType,
  };
  if (source.modTime !== undefined) file.modTime = source.modTime;
  if (md5 !== undefined) file.hashes = { md5 };
  if (etag !== undefined) file.etag = etag;
  return Object.assign(file, told);
}

/** The error for an object that differs from what was sent. `wrong`: the object under its name, if it may be the sent one. */
export function holdsOther(
  { bucket, key, source }: Pick<ObjectUpload, 'bucket' | 'key' | 'source'>,
  what: string,
  wrong: FileEntry | undefined,
): SyncerError {
  const text = `${bucket}/${key}: the stored content differs from the sent content: ${what}`;
  const { path } = source;
  return new SyncerError('corrupted', text, { path, wrong });
}

/** Looks up an object: it must have the size that was sent and the MD5, else the time, else the ETag of the response. */
export async function lookAfter(store: S3Store, upload: ObjectUpload, sent: SentObject, op: Op) {
  const { source, bucket, key } = upload;
  const { md5, size, headers, parts } = sent;
  const found = await headObject(store, source.path, op).catch((error) => {
    if (hasCode(error, 'access-denied')) {
      // The user may have only the permission to write.
      const why = `cannot verify the uploaded object: ${error.message}`;
      const advice =
        'allow the key to read objects, or set no_head to trust the response of an upload';
      throw new SyncerError('access-denied', why, { cause: error, advice });
    }
    if (!hasCode(error, 'file-not-found')) throw error;
    const text = `cannot write ${bucket}/${key}: the server accepted the upload but did not store it`;
    throw new SyncerError('bad-answer', text, { path: source.path });
  });
  const told = parts === undefined ? etagOf(headers) : parts.told;
  const isTold = told !== undefined && found.etag === told;
  const there = foundInstead(found, isTold ? source.modTime : undefined, headers);
  const wrong = isOfOthers(found, source.modTime, headers) ? undefined : there;
  if (parts !== undefined && there.etag === parts.etag) return there;
  // Another writer has replaced a proven upload: the object is as young, with another size or time.
  const isYoung =
    found.storedTime !== undefined && parts?.since !== undefined && found.storedTime >= parts.since;
  if (isYoung && (found.size !== size || found.modTime !== source.modTime)) {
    return writtenEntry(upload, sent, undefined);
  }
  const storedMd5 = there.hashes?.md5;
  if (there.size !== size) throw holdsOther(upload, `${there.size} bytes, not ${size}`, wrong);
  if (storedMd5 !== undefined && md5 !== undefined) {
    if (storedMd5 === md5) return there;
    throw holdsOther(upload, `MD5 ${storedMd5}, not ${md5}`, wrong);
  }
  if (source.modTime !== undefined && found.modTime === source.modTime) return there;
  const hasTime = source.modTime !== undefined && found.metadata?.['mtime'] !== undefined;
  if (isTold && !hasTime) return there;
  const text = `cannot write ${bucket}/${key}: cannot verify that the server stored the sent data`;
  throw new SyncerError('bad-answer', text, { path: source.path });
}

/**
 * Whether an object found after a write is certainly another one than the write made: it has a time of its own that was
 * not sent. With a version in the response there is something that the write made, all the same.
 */
export function isOfOthers(found: FileEntry, modTime: ModTime | undefined, headers: HttpHeaders) {
  const hasTime = modTime !== undefined && found.metadata?.['mtime'] !== undefined;
  return hasTime && found.modTime !== modTime && versionIn(headers).version === undefined;
}

/**
 * The object found instead of the written one, for `Capabilities.takeBack`, with the version of the response.
 * `modTime`: the time that was sent, if the response has this object's ETag: otherwise it may be an older one.
 */
export function foundInstead(
  { modTime: _found, ...there }: FileEntry,
  modTime: ModTime | undefined,
  headers: HttpHeaders,
): FileEntry {
  return { ...there, ...(modTime === undefined ? {} : { modTime }), ...versionIn(headers) };
}
