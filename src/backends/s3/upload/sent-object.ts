import { SyncerError } from '../../../core/errors.ts';
import type { ModTime } from '../../../core/mod-time.ts';
import type { FileEntry, WriteSource } from '../../../core/remote.ts';
import type { HttpHeaders } from '../../../http/answer-head.ts';
import { etagOf, isKeyEncrypted, md5OfEtag } from '../objects/object-entry.ts';
import type { S3Store } from '../store.ts';
import type { PartSums } from './part-sums.ts';

/** A file to write, with its target and what is known of it. */
export interface ObjectUpload {
  readonly source: WriteSource;
  readonly bucket: string;
  readonly key: string;
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
  readonly parts?: ProvenParts;
}

/** A multipart upload whose parts are all proven. */
export interface ProvenParts {
  /** The ETag of its parts. */
  readonly etag: string;
  /** The ETag in the last response. */
  readonly told: string | undefined;
  /** The earliest time at which the server can have written it; absent if unknown. */
  readonly since?: ModTime | undefined;
}

/** The error for an object that differs from what was sent. `wrong`: the object under its name, if it may be the sent one. */
export function holdsOther(
  { bucket, key, source }: Pick<ObjectUpload, 'bucket' | 'key' | 'source'>,
  what: string,
  wrong: FileEntry | undefined,
): SyncerError {
  const text = `${bucket}/${key}: the stored content differs from the sent content: ${what}`;
  const { path } = source;
  return new SyncerError('corrupted', text, { path, ...(wrong === undefined ? {} : { wrong }) });
}

/** The MD5 of the stored object, if the ETag of the response is one. */
export function md5Told({ settings }: S3Store, headers: HttpHeaders): string | undefined {
  const isMd5 = !settings.encryption.etagIsNotMd5 && !isKeyEncrypted(headers);
  return isMd5 ? md5OfEtag(etagOf(headers)) : undefined;
}
