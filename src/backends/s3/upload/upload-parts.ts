import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import { writtenSince } from '../../../core/mod-time.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { contentCheck } from '../../../hashes/content-hasher.ts';
import { giveBack } from '../../../kit/used-again.ts';
import { toldAt } from '../objects/object-entry.ts';
import type { S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { type Completed, type DonePart, multipartEtag } from './multipart.ts';
import { md5Header, modTimeHeader, objectHeaders, writeConditions } from './object-headers.ts';
import { endFailed, type OpenedUpload, openUpload } from './open-upload.ts';
import { holdsOther, lookAfter, type ObjectUpload, writtenEntry } from './proven-entry.ts';
import { putBuffer } from './put-object.ts';
import { type PartTask, runParts, sourceParts } from './source-parts.ts';
import { comparedPart, recordedPart } from './stored-parts.ts';

/**
 * Uploads a file in parts. Nothing is visible until all are verified; on failure the parts are deleted, or kept for
 * the next run. A file of unknown size that fits one part is one PUT.
 */
export async function uploadParts(
  store: S3Store,
  upload: ObjectUpload,
  partSize: number,
  op: Op,
): Promise<FileEntry> {
  const { source } = upload;
  // An MD5 that the source provides need not be computed again here: its reader detects changes.
  const check = contentCheck(source);
  let opened: OpenedUpload | undefined;
  const isStored = (number: number) => opened?.stored.has(number) === true;
  const tasks = sourceParts(source, partSize, check, op, isStored);
  const first = await tasks.next();
  const second = source.size === undefined ? await tasks.next() : undefined;
  if (second?.done === true && first.done !== true) {
    check.finish();
    const { body } = await first.value(op);
    return putBuffer(store, { ...upload, md5: undefined }, body, op);
  }
  const headers = {
    ...objectHeaders(store, upload),
    ...(upload.md5 === undefined ? {} : md5Header(upload.md5)),
  };
  opened = await openUpload(store, upload, partSize, headers, op).catch(async (error) => {
    await tasks.return(undefined);
    throw error;
  });
  const { multipart, isResumed, record } = opened;
  try {
    const parts = await sendParts(
      store,
      upload,
      opened,
      fromStart(first, second, tasks),
      partSize,
      op,
    );
    const { size, hashes } = check.finish();
    const { clock } = store.client.context;
    const startMs = clock.monotonic();
    const own = source.modTime === undefined ? {} : modTimeHeader(source.modTime);
    const conditions = writeConditions(store, source);
    const completed = await multipart.complete(parts, op, conditions, own);
    record?.delete();
    const md5 = upload.md5 ?? hashes.md5;
    const tookMs = clock.monotonic() - startMs;
    return await verified(store, upload, { parts, size, md5, completed, tookMs }, op);
  } catch (error) {
    await endFailed(store, upload, opened, error, op);
    if (!isResumed || !isOfStored(error) || op.signal.aborted) throw error;
    const { emit } = store.client.context;
    const fields = { why: toSyncerError(error).message };
    emit({ type: 'log', level: 'info', path: source.path, code: 'upload-restarted', fields });
  }
  return uploadParts(store, upload, partSize, op);
}

async function sendParts(
  store: S3Store,
  { source, sums }: ObjectUpload,
  { multipart, stored, record }: OpenedUpload,
  tasks: AsyncIterator<PartTask>,
  partSize: number,
  op: Op,
): Promise<DonePart[]> {
  const { uploadConcurrency, maxUploadParts } = store.settings;
  const fit = Math.floor((op.room ?? Number.POSITIVE_INFINITY) / partSize);
  const atOnce = Math.max(1, Math.min(uploadConcurrency, fit));
  const parts = await runParts(tasks, atOnce, op, async (task, inner) => {
    const { number, body } = await task(inner);
    if (number > maxUploadParts) {
      const text = `longer than ${maxUploadParts} parts; raise chunk_size`;
      throw new SyncerError('too-large', text, { path: source.path });
    }
    const before = stored.get(number);
    const part = before
      ? comparedPart(before, body, source)
      : await multipart.put(number, body, inner, sums?.get(number));
    if (before === undefined && record !== undefined) {
      const sent = recordedPart(part, body.length);
      record.add(sent);
      stored.set(number, sent);
    }
    giveBack(body);
    return part;
  });
  return parts.sort((a, b) => a.number - b.number);
}

/** Whether the stored parts may be the problem: their content is not that of the source, or the server refuses them. */
function isOfStored(error: unknown): boolean {
  if (hasCode(error, 'source-changed')) return true;
  if (!(error instanceof StoreError) || error.retry) return false;
  return error.status >= 400 && error.status < 500 && ![401, 403, 412].includes(error.status);
}

/** The tasks from the start, of which one or two were already taken. */
async function* fromStart(
  first: IteratorResult<PartTask>,
  second: IteratorResult<PartTask> | undefined,
  rest: AsyncGenerator<PartTask>,
): AsyncGenerator<PartTask> {
  if (first.done !== true) yield first.value;
  if (second !== undefined && second.done !== true) yield second.value;
  yield* rest;
}

/**
 * The entry after the upload: its ETag is that of the parts, or its CRC-32, else it is looked up. Without an ETag in
 * the response, another writer may have replaced it.
 */
async function verified(
  store: S3Store,
  upload: ObjectUpload,
  done: {
    readonly parts: readonly DonePart[];
    readonly size: number;
    readonly md5: string | undefined;
    readonly completed: Completed;
    readonly tookMs: number;
  },
  op: Op,
): Promise<FileEntry> {
  const { parts, size, md5, completed, tookMs } = done;
  const { headers, etag, hasCrc32, wrongCrc32 } = completed;
  const { settings } = store;
  const sent = { size, md5, headers };
  const entry = writtenEntry(upload, sent, etag);
  if (wrongCrc32 !== undefined) throw holdsOther(upload, `CRC-32 ${wrongCrc32}`, entry);
  const made = multipartEtag(parts);
  if (etag === made || hasCrc32 === true) return entry;
  const isComparable =
    settings.verifyMultipartEtag && parts.every((part) => part.etag === part.md5);
  const wanted = isComparable ? made : undefined;
  if (settings.noHead) return provenParts(upload, entry, wanted);
  const mayBeReplaced = etag === undefined && isComparable;
  const since = mayBeReplaced ? writtenSince(toldAt(headers).toldAt, tookMs) : undefined;
  const proven = { ...sent, parts: { etag: made, told: etag, since } };
  const there = await lookAfter(store, upload, proven, op);
  return provenParts(upload, writtenEntry(upload, sent, there.etag), wanted);
}

function provenParts(
  upload: ObjectUpload,
  entry: FileEntry,
  wanted: string | undefined,
): FileEntry {
  if (wanted === undefined || entry.etag === undefined || entry.etag === wanted) return entry;
  throw holdsOther(upload, `ETag ${entry.etag}, not ${wanted}`, entry);
}
