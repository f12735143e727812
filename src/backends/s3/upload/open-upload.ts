import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { SyncerError, toSyncerError } from '../../../core/errors.ts';
import { isPassing, typedPath } from '../../../core/passing-failure.ts';
import type { Op, WriteSource } from '../../../core/remote.ts';
import {
  KEPT_DAYS,
  type RecordedPart,
  type UploadHead,
  type UploadRecord,
  type UploadRecords,
} from '../../../core/upload-records.ts';
import type { UploadChecksums } from '../checksums.ts';
import { abortUpload, listParts, type StoredPart } from '../listing/history.ts';
import type { Location, S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { type DonePart, MultipartUpload } from './multipart.ts';
import type { ObjectUpload } from './proven-entry.ts';

/** An upload that parts can be sent to. */
export interface OpenedUpload {
  readonly multipart: MultipartUpload;
  /** The server has parts of an earlier attempt or run. */
  readonly isResumed: boolean;
  /** The parts known to be stored and recorded, by number. */
  readonly stored: Map<number, RecordedPart>;
  /** Absent if the upload cannot be resumed. */
  readonly record?: UploadRecord;
}

/**
 * Opens the interrupted upload of a file if it can be continued, else starts one. Others of this object whose process
 * has ended are aborted. Rejects as `MultipartUpload.create`.
 */
export async function openUpload(
  store: S3Store,
  upload: ObjectUpload,
  partSize: number,
  headers: Record<string, string>,
  op: Op,
): Promise<OpenedUpload> {
  const at = { bucket: upload.bucket, key: upload.key };
  const start = () => MultipartUpload.create(store, at, headers, true, op);
  const head = headOf(store, upload, partSize, headers);
  if (store.uploads === undefined || head === undefined || head.size < store.uploads.from) {
    return { multipart: await start(), isResumed: false, stored: new Map() };
  }
  const records = await store.uploads.open();
  const found = await findUpload(store, upload, records, head, op);
  if (found !== undefined) return found;
  const multipart = await start();
  const { id, checksums: how } = multipart;
  const record = await records.create({ ...head, id, how });
  return { multipart, isResumed: false, stored: new Map(), record };
}

/** What an upload must agree in to be continued; `undefined` if it cannot be. */
function headOf(
  store: S3Store,
  { source, bucket, key }: ObjectUpload,
  partSize: number,
  headers: Record<string, string>,
): Omit<UploadHead, 'id'> | undefined {
  const { size = 0, seekable } = source;
  if (!seekable || size <= partSize) return undefined;
  const fingerprint = source.fingerprint?.();
  if (fingerprint === undefined) return undefined;
  // As hashes: the headers may have the customer's key.
  const [told, options] = [fingerprint, JSON.stringify(headers)].map((text) =>
    hash('sha256', text),
  );
  if (told === undefined || options === undefined) return undefined;
  return { store: store.id, path: `${bucket}/${key}`, partSize, size, source: told, options };
}

/** The newest upload that can be continued; the others are aborted. */
async function findUpload(
  store: S3Store,
  { source, bucket, key }: ObjectUpload,
  records: UploadRecords,
  head: Omit<UploadHead, 'id'>,
  op: Op,
): Promise<OpenedUpload | undefined> {
  const at = { bucket, key };
  const { emit } = store.client.context;
  let found: OpenedUpload | undefined;
  const taken = await records.take(head.store, head.path);
  for (const [index, record] of taken.entries()) {
    const multipart = reopen(store, at, record);
    const stored =
      found === undefined
        ? await lookAt(store, at, record, head, op).catch(async (error) => {
            for (const left of taken.slice(index)) await left.release();
            throw error;
          })
        : 'a newer one exists';
    if (typeof stored !== 'string') {
      found = { multipart, isResumed: stored.size > 0, stored, record };
      continue;
    }
    const fields = { why: stored };
    emit({ type: 'log', level: 'info', path: source.path, code: 'upload-restarted', fields });
    if (await multipart.abort()) await record.delete();
    else await record.release();
  }
  if (found?.isResumed === true) {
    const of = Math.ceil(head.size / head.partSize);
    const bytes = bytesOf(found.stored.values());
    const percent = Math.floor((100 * bytes) / head.size);
    const fields = { parts: found.stored.size, of, bytes, percent };
    emit({ type: 'log', level: 'info', path: source.path, code: 'upload-resumed', fields });
  }
  return found;
}

/** The parts of an upload that can be used, or why it cannot be continued. Rejects if the server cannot be reached. */
async function lookAt(
  store: S3Store,
  at: Location,
  { head: recorded, parts }: UploadRecord,
  head: Omit<UploadHead, 'id'>,
  op: Op,
): Promise<Map<number, RecordedPart> | string> {
  const { id, how: _how, ...rest } = recorded;
  // See `recordLeft`.
  if (rest.size === 0) return 'an earlier run could not abort it';
  if (rest.source !== head.source || rest.size !== head.size) return 'the source has changed';
  if (rest.partSize !== head.partSize) return 'the part size is another one';
  if (rest.options !== head.options) return 'the content or the options are others';
  try {
    const listed = await listParts(store, at, id, op);
    if (listed === undefined) return 'the server no longer has it';
    return storedParts(parts, listed, head);
  } catch (thrown) {
    op.signal.throwIfAborted();
    const error = toSyncerError(thrown);
    // A server that answers and cannot list parts must not stop every upload of this file.
    const isAnswered = error instanceof StoreError && error.code !== 'throttled';
    if (error.retry && !isAnswered) throw error;
    return error.message;
  }
}

/**
 * Ends an upload that failed: keeps it for the next attempt or run if enough of it is stored and its content is not the
 * problem, otherwise aborts it.
 */
export async function endFailed(
  store: S3Store,
  { source, bucket, key }: ObjectUpload,
  { multipart, stored, record }: OpenedUpload,
  thrown: unknown,
  op: Op,
): Promise<void> {
  const { leavePartsOnError, remote } = store.settings;
  const storedBytes = bytesOf(stored.values());
  const isMuch = storedBytes >= (store.uploads?.from ?? 0);
  const isSound = op.signal.aborted || isPassing(thrown);
  const mayKeep = isMuch && isSound;
  if ((mayKeep || leavePartsOnError) && (await record?.release()) === true) {
    const place = typedPath(remote, store.toStandard(`${bucket}/${key}`));
    const fields = { bytes: storedBytes, of: source.size ?? storedBytes, days: KEPT_DAYS, place };
    const { emit } = store.client.context;
    emit({ type: 'log', level: 'notice', path: source.path, code: 'upload-kept', fields });
    return;
  }
  const isGone = leavePartsOnError || (await multipart.abort());
  if (!isGone && isSound && (await record?.release()) === true) return;
  await record?.delete();
  if (!isGone) await recordLeft(store, { bucket, key }, multipart.id);
}

/** Records an upload that can neither be continued nor, for now, be aborted: `dropOldUploads` tries again. */
export async function recordLeft(
  store: S3Store,
  { bucket, key }: Location,
  id: string,
): Promise<void> {
  const records = await store.uploads?.open();
  const none = { partSize: 0, size: 0, source: '', options: '' };
  const record = await records?.create({ store: store.id, path: `${bucket}/${key}`, id, ...none });
  await record?.release();
}

/** Aborts uploads of earlier runs to this server that nothing was added to for a week. Never rejects. */
export async function dropOldUploads(store: S3Store): Promise<void> {
  if (store.uploads === undefined) return;
  const { emit, signal } = store.client.context;
  const op = { signal };
  const records = await store.uploads.open();
  for (const record of await records.takeOld(store.id)) {
    const { path } = record.head;
    const slash = path.indexOf('/');
    const at = { bucket: path.slice(0, slash), key: path.slice(slash + 1) };
    try {
      await abortUpload(store, at.bucket, at.key, record.head.id, op);
      await record.delete();
      emit({ type: 'log', level: 'info', path, code: 'upload-expired' });
    } catch {
      await record.release();
    }
  }
}

/** How many bytes parts have. */
function bytesOf(parts: Iterable<{ readonly size: number }>): number {
  let sum = 0;
  for (const { size } of parts) sum += size;
  return sum;
}

function reopen(store: S3Store, at: Location, { head }: UploadRecord): MultipartUpload {
  return MultipartUpload.reopen(store, at, head.id, (head.how ?? 'none') as UploadChecksums);
}

/**
 * The recorded parts of an upload, by number, if the server has exactly these; else why the upload cannot be
 * continued. Parts that only the server has were in transit when the upload was interrupted: they are sent again.
 */
function storedParts(
  recorded: readonly RecordedPart[],
  listed: readonly StoredPart[],
  { size, partSize }: Pick<UploadHead, 'size' | 'partSize'>,
): Map<number, RecordedPart> | string {
  const onServer = new Map(listed.map((part) => [part.number, part]));
  const stored = new Map(recorded.map((part) => [part.number, part]));
  for (const part of stored.values()) {
    const { number } = part;
    const there = onServer.get(number);
    const expected = Math.min(partSize, size - (number - 1) * partSize);
    if (number < 1 || expected <= 0 || part.size !== expected)
      return `part ${number} was too short`;
    if (there === undefined) return `the server lacks part ${number}`;
    if (there.size !== expected) return `part ${number} on the server has ${there.size} bytes`;
    if (there.etag !== part.etag) return `part ${number} on the server is another one`;
  }
  return stored;
}

/** What a record keeps of a part. */
export function recordedPart(
  { number, etag, md5, checksum }: DonePart,
  size: number,
): RecordedPart {
  return { number, size, etag, md5, ...(checksum === undefined ? {} : { crc32: checksum.crc32 }) };
}

/** A stored part, compared with the source. Throws `source-changed` if the source has other bytes there now. */
export function comparedPart(
  { number, etag, md5, size, crc32: recorded }: RecordedPart,
  body: Buffer,
  { path }: Pick<WriteSource, 'path'>,
): DonePart {
  const isSame =
    body.length === size &&
    (recorded === undefined ? hash('md5', body, 'hex') === md5 : crc32(body) === recorded);
  if (!isSame) {
    const text = `part ${number} of the source is not what an earlier run has sent`;
    throw new SyncerError('source-changed', text, { path });
  }
  return {
    number,
    etag,
    md5,
    ...(recorded === undefined ? {} : { checksum: { crc32: recorded, size } }),
  };
}
