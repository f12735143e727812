import { availableParallelism } from 'node:os';
import { releaseBuffer } from '../../../core/buffers.ts';
import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import { writtenSince } from '../../../core/mod-time.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import type { RecordedPart } from '../../../core/upload-records.ts';
import { contentCheck } from '../../../hashes/content-hasher.ts';
import { assertSamePart } from '../../resumed-uploads.ts';
import { toldAt } from '../objects/object-entry.ts';
import type { S3Settings } from '../settings.ts';
import type { S3Store } from '../store.ts';
import { refusesForm, StoreError } from '../store-error.ts';
import { type Completed, multipartEtag } from './multipart.ts';
import { endFailed, type OpenedUpload, openUpload } from './open-upload.ts';
import { holdsOther, lookAfter, type ObjectUpload, writtenEntry } from './proven-entry.ts';
import { putBuffer, putStream, putWithTrailer, readIntoMemory } from './put-object.ts';
import { type PartTask, partSumsDuring, runParts, sourceParts } from './source-parts.ts';
import { modTimeHeader } from './write-headers.ts';

const MIB = 1024 ** 2;

/** Files up to this size, in bytes, are read into memory before they are sent. */
const WHOLE_LIMIT = 16 * MIB;

/**
 * Writes a file, without a lock of its own; see `planUpload` for the ways. It is visible under its name only when
 * complete and verified. Rejects with `precondition-failed` if the object does not meet the conditions of
 * `--header-upload`.
 */
export async function writeObject(store: S3Store, source: WriteSource, op: Op): Promise<FileEntry> {
  op.signal.throwIfAborted();
  store.hasWritten = true;
  const { bucket, key } = store.locate(source.path);
  if (bucket === '' || key === '') {
    const text = 'no bucket given; write to a path like bucket/file';
    throw new SyncerError('name-invalid', text, { path: source.path });
  }
  try {
    const isInMemory = source.size !== undefined && source.size <= WHOLE_LIMIT;
    const { integrity } = store;
    // A server without support for trailers needs another request: a source that opens only once waits for proof.
    const mayTrail =
      !isInMemory &&
      (source.seekable ? integrity.supports('trailers') : integrity.trailersAreProven);
    const { md5, sums }: Pick<ObjectUpload, 'md5' | 'sums'> = isInMemory
      ? { md5: undefined }
      : await hashBeforehand(store, source, bucket, mayTrail, op);
    const canSendMd5 = md5 !== undefined && !store.settings.directoryBucket;
    const plan = planUpload(source.size, canSendMd5, mayTrail, store.settings);
    const mimeType = source.mimeType ?? store.mimeTypeOf(source.path);
    const upload: ObjectUpload = { source, bucket, key, mimeType, md5, sums };
    switch (plan.how) {
      case 'whole': {
        const { content, ...inMemory } = await readIntoMemory(upload, op);
        return await putBuffer(store, inMemory, content, op);
      }
      case 'stream':
        return await putStream(store, upload, op);
      case 'trailer':
        return await putWithTrailer(store, upload, () => writeObject(store, source, op), op);
      case 'parts': {
        const { partSize } = plan;
        return plan.inMemory && !store.settings.disableChecksum
          ? await uploadParts(store, await readIntoMemory(upload, op), partSize, op)
          : await uploadParts(store, upload, partSize, op);
      }
    }
  } catch (error) {
    op.signal.throwIfAborted();
    const given = Object.entries(store.headers.conditions(source));
    if (given.length === 0) throw toSyncerError(error);
    if (source.replaces !== undefined && refusesForm(error) && error.code === 'bad-answer') {
      // Without the condition it may be written.
      throw new SyncerError('unsupported', error.message, { path: source.path, cause: error });
    }
    if (!hasCode(error, 'precondition-failed')) throw toSyncerError(error);
    const conditions = given.map(([name, value]) => `${name}: ${value}`).join(', ');
    const text = `${bucket}/${key} was not written: it does not meet the condition ${conditions}`;
    throw new SyncerError('precondition-failed', text, { path: source.path, cause: error });
  }
}

/** The MD5 of a file that is too large for memory, if it is available and useful, and sums of its parts. */
async function hashBeforehand(
  store: S3Store,
  source: WriteSource,
  bucket: string,
  mayTrail: boolean,
  op: Op,
): Promise<Pick<ObjectUpload, 'md5' | 'sums'>> {
  const { uploadCutoff, disableChecksum, multipartUploads } = store.settings;
  const { size, hashes, hash } = source;
  if (size === undefined) return { md5: undefined };
  if (size >= uploadCutoff && disableChecksum) return { md5: undefined };
  const told = hashes?.md5?.toLowerCase();
  if (told !== undefined) return { md5: told };
  // With a trailer the ETag is the MD5; otherwise the MD5 is stored as metadata.
  const isNeeded =
    size >= uploadCutoff || !mayTrail || !multipartUploads || store.etagIsNotMd5(bucket);
  if (!isNeeded || hash === undefined) return { md5: undefined };
  const plan = planUpload(size, true, mayTrail, store.settings);
  const hashing = hash('md5', op);
  if (plan.how !== 'parts' || availableParallelism() === 1) return { md5: await hashing };
  const isSigned = !(store.settings.unsignedPayload ?? store.settings.endpoint.secure);
  const sums = await partSumsDuring(hashing, source, plan.partSize, isSigned, op);
  return { md5: await hashing, sums };
}

/**
 * Decides how to write a file. Every request has a checksum that the server verifies, so a file too large for memory is
 * one PUT only if its MD5 is known first or the server supports trailers; otherwise it is uploaded in parts. Below
 * `uploadCutoff` that matches rclone: one PUT, whose ETag is the MD5. Parts have whole MiB, if there would be too many
 * of `chunkSize`. Throws `too-large`. `size`: in bytes; `undefined` if not known before the end. `mayTrail`: the server
 * is believed to support trailing checksums.
 */
export function planUpload(
  size: number | undefined,
  md5IsKnown: boolean,
  mayTrail: boolean,
  settings: Pick<S3Settings, 'uploadCutoff' | 'chunkSize' | 'maxUploadParts' | 'multipartUploads'>,
) {
  const { multipartUploads } = settings;
  if (size === undefined && multipartUploads)
    return { how: 'parts', partSize: settings.chunkSize, inMemory: false } as const;
  const isSmall = size !== undefined && size <= WHOLE_LIMIT;
  if (size !== undefined && size < settings.uploadCutoff) {
    // Read into memory, then one PUT with Content-MD5, which can be sent again.
    if (isSmall) return { how: 'whole' } as const;
    // One PUT, sent while it is read, whose Content-MD5 is known in advance, or with its CRC-32 as a trailer.
    if (md5IsKnown) return { how: 'stream' } as const;
    if (mayTrail) return { how: 'trailer' } as const;
  }
  if (size === undefined || !multipartUploads) {
    const text =
      'the server takes no uploads in parts, and one request needs a known size, MD5 and at most 5 GiB';
    throw new SyncerError('too-large', text);
  }
  const { chunkSize, maxUploadParts } = settings;
  const isFew = size <= chunkSize * maxUploadParts;
  const partSize = isFew ? chunkSize : Math.ceil(size / maxUploadParts / MIB) * MIB;
  // Each with a checksum; read into memory first, so that its MD5 can be stored with it.
  if (isFew || partSize <= 5 * 1024 ** 3)
    return { how: 'parts', partSize, inMemory: isSmall } as const;
  throw new SyncerError('too-large', `larger than ${maxUploadParts} parts of 5 GiB`);
}

/** See `Capabilities.writeMemory`. */
export function uploadMemory(
  size: number | undefined,
  settings: Parameters<typeof planUpload>[3] & Pick<S3Settings, 'uploadConcurrency'>,
): { readonly least: number; readonly most: number } {
  const { multipartUploads, uploadConcurrency, chunkSize, uploadCutoff } = settings;
  if (size !== undefined && (size <= WHOLE_LIMIT || size < uploadCutoff || !multipartUploads)) {
    // What is sent while it is read holds little in memory.
    const bytes = size <= WHOLE_LIMIT ? size : 2 * MIB;
    return { least: bytes, most: bytes };
  }
  const { maxUploadParts } = settings;
  const partSize =
    size === undefined ? chunkSize : Math.max(chunkSize, Math.ceil(size / maxUploadParts));
  // A stream fills the next part while the others are sent.
  const more = size === undefined ? partSize : 0;
  return { least: partSize + more, most: partSize * uploadConcurrency + more };
}

/** Uploads a file in parts; of unknown size that fits one part, by one PUT. If it fails, parts are deleted or kept. */
async function uploadParts(store: S3Store, upload: ObjectUpload, partSize: number, op: Op) {
  const { source } = upload;
  // An MD5 that the source provides need not be computed again here: its reader detects changes.
  const check = contentCheck(source);
  let opened: OpenedUpload | undefined;
  const isStored = (number: number) => opened?.stored.has(number) === true;
  const tasks = sourceParts(source, partSize, check, op, isStored);
  const first = await tasks.next();
  const second = source.size === undefined ? await tasks.next() : undefined;
  const taken = second === undefined ? [first] : [first, second];
  const all: AsyncIterator<PartTask> = {
    next: async () => taken.shift() ?? tasks.next(),
    return: () => tasks.return(undefined),
  };
  if (second?.done === true && first.done !== true) {
    check.finish();
    const { body } = await first.value(op);
    return putBuffer(store, { ...upload, md5: undefined }, body, op);
  }
  const headers = store.headers.object(source, upload.mimeType, upload.md5);
  opened = await openUpload(store, upload, partSize, headers, op).catch(async (error) => {
    await tasks.return(undefined);
    throw error;
  });
  const { multipart, isResumed, record } = opened;
  try {
    const parts = await sendParts(store, upload, opened, all, partSize, op);
    const { size, hashes } = check.finish();
    const { clock } = store.client.context;
    const startMs = clock.monotonic();
    const conditions = store.headers.conditions(source);
    const own = modTimeHeader(source.modTime);
    const completed = await multipart.complete(parts, op, conditions, own);
    await record?.delete();
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
): Promise<RecordedPart[]> {
  const { uploadConcurrency, maxUploadParts } = store.settings;
  const fit = Math.floor((op.room ?? Number.POSITIVE_INFINITY) / partSize);
  const atOnce = Math.max(1, Math.min(uploadConcurrency, fit));
  const parts = await runParts(tasks, atOnce, op, async (task, inner) => {
    const { number, body } = await task(inner);
    if (number > maxUploadParts) {
      const text = `longer than ${maxUploadParts} parts; raise chunk_size`;
      throw new SyncerError('too-large', text, { path: source.path });
    }
    let part = stored.get(number);
    if (part !== undefined) assertSamePart(number, part, body, source.path);
    else {
      part = await multipart.put(number, body, inner, sums?.get(number));
      await record?.add(part);
      stored.set(number, part);
    }
    releaseBuffer(body);
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

/** The entry, proven by the ETag of the parts or the CRC-32, else looked up; it may be replaced by then. */
async function verified(
  store: S3Store,
  upload: ObjectUpload,
  done: {
    readonly parts: readonly RecordedPart[];
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
  let proven = entry;
  if (!settings.noHead) {
    const mayBeReplaced = etag === undefined && isComparable;
    const since = mayBeReplaced ? writtenSince(toldAt(headers).toldAt, tookMs) : undefined;
    const ofParts = { ...sent, parts: { etag: made, told: etag, since } };
    const there = await lookAfter(store, upload, ofParts, op);
    proven = writtenEntry(upload, sent, there.etag);
  }
  if (!isComparable || proven.etag === undefined || proven.etag === made) return proven;
  throw holdsOther(upload, `ETag ${proven.etag}, not ${made}`, proven);
}
