import { toSyncerError } from '../../../core/errors.ts';
import type { Op } from '../../../core/remote.ts';
import { typedPath } from '../../../core/remote-path.ts';
import { KEPT_DAYS, type RecordedPart, type UploadRecord } from '../../../core/upload-records.ts';
import {
  LEFT_SIZE,
  logResumed,
  mayContinue,
  type NewUpload,
  resumable,
  takeResumable,
} from '../../resumed-uploads.ts';
import type { UploadChecksums } from '../checksums.ts';
import type { Stretch } from '../delta/plan-delta.ts';
import { abortUpload, listParts } from '../listing/history.ts';
import type { Location, S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { MultipartUpload } from './multipart.ts';
import type { ObjectUpload } from './proven-entry.ts';
import type { PartLayout } from './source-parts.ts';

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

/** Continues the interrupted upload of a file, or starts one; aborts others of it whose process has ended. */
export async function openUpload(
  store: S3Store,
  upload: ObjectUpload,
  layout: PartLayout,
  headers: Record<string, string>,
  op: Op,
): Promise<OpenedUpload> {
  const at = { bucket: upload.bucket, key: upload.key };
  const { partSize, plan } = layout;
  // Not every server returns the checksums of what it copies.
  const isNeeded = plan === undefined || plan.unread?.needsChecksums === true;
  const mayReturn = plan?.unread === undefined && store.delta.proof !== 'md5';
  const wantsChecksums = isNeeded || mayReturn || store.settings.dataIntegrity === true;
  const start = () => MultipartUpload.create(store, at, headers, wantsChecksums, op);
  const path = `${upload.bucket}/${upload.key}`;
  const { size = 0 } = upload.source;
  const stretches = stretchesOf(layout);
  const options = JSON.stringify(stretches === undefined ? headers : { headers, stretches });
  const about = { store: store.id, path, partSize, size, options };
  const head = size <= partSize ? undefined : resumable(upload.source, store.uploads, about);
  if (store.uploads === undefined || head === undefined) {
    return { multipart: await start(), isResumed: false, stored: new Map() };
  }
  const records = await store.uploads.open();
  const resuming = {
    path: upload.source.path,
    emit: store.client.context.emit,
    look: (record: UploadRecord) => lookAt(store, at, record, head, stretches, op),
    end: (record: UploadRecord) => endRecorded(store, at, record),
  };
  const found = await takeResumable(records, head, resuming);
  if (found !== undefined) {
    const { record, stored } = found;
    const isResumed = stored.size > 0;
    if (isResumed) logResumed(head, stored.size, bytesOf(stored.values()), resuming);
    return { multipart: reopened(store, at, record), isResumed, stored, record };
  }
  const multipart = await start();
  const { id, checksums: how } = multipart;
  const record = await records.create({ ...head, id, how });
  return { multipart, isResumed: false, stored: new Map(), record };
}

/** The parts of a plan, if they are not those of a usual upload. */
function stretchesOf({ plan }: PartLayout): readonly Stretch[] | undefined {
  return plan?.isRegular === false ? plan.stretches : undefined;
}

/**
 * The recorded parts of an upload, by number, if the server has exactly these; else why the upload cannot be
 * continued. Parts that only the server has were in transit when the upload was interrupted: they are sent again.
 * Rejects if the server cannot be reached.
 */
async function lookAt(
  store: S3Store,
  at: Location,
  { head: { id }, parts }: UploadRecord,
  { size, partSize }: NewUpload,
  stretches: readonly Stretch[] | undefined,
  op: Op,
): Promise<Map<number, RecordedPart> | string> {
  try {
    const listed = await listParts(store, at, id, op);
    if (listed === undefined) return 'the server no longer has it';
    const onServer = new Map(listed.map((part) => [part.number, part]));
    const stored = new Map(parts.map((part) => [part.number, part]));
    for (const part of stored.values()) {
      const { number } = part;
      const there = onServer.get(number);
      const usual = Math.min(partSize, size - (number - 1) * partSize);
      const expected = stretches === undefined ? usual : (stretches[number - 1]?.length ?? 0);
      if (number < 1 || expected <= 0 || part.size !== expected)
        return `part ${number} was too short`;
      if (there === undefined) return `the server lacks part ${number}`;
      if (there.size !== expected) return `part ${number} on the server has ${there.size} bytes`;
      if (there.etag !== part.etag) return `part ${number} on the server is another one`;
    }
    return stored;
  } catch (thrown) {
    op.signal.throwIfAborted();
    const error = toSyncerError(thrown);
    // A server that answers and cannot list parts must not stop every upload of this file.
    const isAnswered = error instanceof StoreError && error.code !== 'throttled';
    if (error.retry && !isAnswered) throw error;
    return error.message;
  }
}

/** Ends an upload that failed: keeps it if enough is stored and its content is not the problem, otherwise aborts it. */
export async function endFailed(
  store: S3Store,
  { source, bucket, key }: ObjectUpload,
  { multipart, stored, record }: OpenedUpload,
  thrown: unknown,
  op: Op,
): Promise<void> {
  const { leavePartsOnError, remote } = store.settings;
  const storedBytes = bytesOf(stored.values());
  const mayKeep = mayContinue(storedBytes, store.uploads, thrown, op);
  if ((mayKeep || leavePartsOnError) && (await record?.release()) === true) {
    const place = typedPath(remote, store.toStandard(`${bucket}/${key}`));
    const fields = { bytes: storedBytes, of: source.size ?? storedBytes, days: KEPT_DAYS, place };
    const { emit } = store.client.context;
    emit({ type: 'log', level: 'notice', path: source.path, code: 'upload-kept', fields });
    return;
  }
  const isGone = leavePartsOnError || (await multipart.abort());
  await record?.delete();
  if (!isGone) await recordLeft(store, { bucket, key }, multipart.id);
}

/** Records an upload that can neither be continued nor, for now, be aborted: `dropOldUploads` tries again. */
export async function recordLeft(store: S3Store, { bucket, key }: Location, id: string) {
  const records = await store.uploads?.open();
  const none = { partSize: 0, size: LEFT_SIZE, source: '', options: '' };
  const record = await records?.create({ store: store.id, path: `${bucket}/${key}`, id, ...none });
  await record?.release();
}

/** Aborts the uploads of an object whose process has ended, as it is written by one request now. Never rejects. */
export async function endInterrupted(store: S3Store, { bucket, key }: Location): Promise<void> {
  const records = await store.uploads?.open();
  for (const record of (await records?.take(store.id, `${bucket}/${key}`)) ?? [])
    await endRecorded(store, { bucket, key }, record);
}

/** Aborts a recorded upload; if that fails, it stays recorded. */
async function endRecorded(store: S3Store, at: Location, record: UploadRecord): Promise<void> {
  if (await reopened(store, at, record).abort()) await record.delete();
  else await record.release();
}

const reopened = (store: S3Store, at: Location, { head: { id, how = 'none' } }: UploadRecord) =>
  new MultipartUpload(store, at, id, how as UploadChecksums);

/** Aborts uploads of earlier runs to this server that nothing was added to for a week. Never rejects. */
export async function dropOldUploads(store: S3Store): Promise<void> {
  if (store.uploads === undefined) return;
  const { emit, signal } = store.client.context;
  const records = await store.uploads.open();
  for (const record of await records.takeOld(store.id)) {
    const { path } = record.head;
    const slash = path.indexOf('/');
    const [bucket, key] = [path.slice(0, slash), path.slice(slash + 1)];
    try {
      await abortUpload(store, bucket, key, record.head.id, { signal });
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
