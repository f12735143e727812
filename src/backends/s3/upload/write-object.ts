import { availableParallelism } from 'node:os';
import type { UnchangedBytes } from '../../../core/content-pieces.ts';
import { hasCode, SyncerError, toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import { NoChecksum, whyWhole } from '../delta/copy-parts.ts';
import {
  deltaSource,
  findDelta,
  type Learned,
  logUnknown,
  logWhole,
  notePieces,
  partCopiesIn,
} from '../delta/find-delta.ts';
import { planUnread } from '../delta/unread-bytes.ts';
import type { S3Settings } from '../settings.ts';
import type { S3Store } from '../store.ts';
import { refusesForm } from '../store-error.ts';
import { endInterrupted } from './open-upload.ts';
import type { ObjectUpload } from './proven-entry.ts';
import { putBuffer, putStream, putWithTrailer, readIntoMemory } from './put-object.ts';
import { partSumsDuring } from './source-parts.ts';
import { uploadParts } from './upload-parts.ts';

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
    if (source.unchanged?.areUnread === true)
      return await writeAroundUnread(store, source, source.unchanged, op);
    const isInMemory = source.size !== undefined && source.size <= WHOLE_LIMIT;
    const { integrity } = store;
    // A server without support for trailers needs another request: a source that opens only once waits for proof.
    const mayTrail =
      !isInMemory &&
      (source.seekable ? integrity.supports('trailers') : integrity.trailersAreProven);
    const mimeType = source.mimeType ?? store.mimeTypeOf(source.path);
    const upload: ObjectUpload = { source, bucket, key, mimeType, md5: undefined };
    if (isInMemory) return await writeWhole(store, upload, mayTrail, op);
    const old = deltaSource(store, source, op);
    const copies = old === undefined ? 'none' : await partCopiesIn(store, bucket);
    if (copies === 'unknown') logUnknown(store, bucket);
    else if (old !== undefined && copies !== 'none')
      return await writeOver(store, upload, old, copies, op);
    const hashed = await hashBeforehand(store, source, bucket, mayTrail, op);
    return await writeWhole(store, { ...upload, ...hashed }, mayTrail, op);
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

/** What is known of a content before it is sent. */
type Hashed = Pick<ObjectUpload, 'md5' | 'sums'>;

/** Writes a large file over an object from which the store may copy a part of it; whole if nothing is gained. */
async function writeOver(
  store: S3Store,
  unhashed: ObjectUpload,
  old: FileEntry,
  copies: 'any' | 'equal',
  op: Op,
): Promise<FileEntry> {
  const { source, bucket } = unhashed;
  const { clock } = store.client.context;
  const startMs = clock.monotonic();
  const partSize = partSizeOf(source.size ?? 0, store.settings);
  const [{ md5 }, delta] = await Promise.all([
    hashBeforehand(store, source, bucket, false, op),
    findDelta(store, source, old, partSize, copies, op),
  ]);
  const upload = { ...unhashed, md5 };
  const { plan, learned } = delta ?? {};
  if (plan !== undefined) {
    const copying = () => uploadParts(store, upload, { partSize, plan, learned, startMs }, op);
    try {
      return await copying().catch((thrown) => {
        if (!(thrown instanceof NoChecksum) || op.signal.aborted) throw thrown;
        source.onRestart?.();
        return copying();
      });
    } catch (thrown) {
      noteRefused(store, source, thrown, op);
    }
  }
  return writeWhole(store, upload, false, op, learned);
}

/** Writes a file of which some bytes are those of an older object, and were never read; reads them if it has to. */
async function writeAroundUnread(
  store: S3Store,
  source: WriteSource,
  unchanged: UnchangedBytes<FileEntry, Op>,
  op: Op,
): Promise<FileEntry> {
  const { bucket, key } = store.locate(source.path);
  const mimeType = source.mimeType ?? store.mimeTypeOf(source.path);
  const partSize = partSizeOf(source.size ?? 0, store.settings);
  try {
    const plan = await planUnread(store, source, unchanged, partSize, op);
    const upload = { source, bucket, key, mimeType, md5: undefined };
    return await uploadParts(store, upload, { partSize, plan }, op);
  } catch (thrown) {
    noteRefused(store, source, thrown, op);
  }
  await unchanged.fetch(op);
  const { unchanged: _, ...complete } = source;
  return writeObject(store, complete, op);
}

/** Notes why the whole is sent instead; throws what was thrown if that would not help. */
function noteRefused(store: S3Store, { path, onRestart }: WriteSource, thrown: unknown, op: Op) {
  const why = op.signal.aborted ? undefined : whyWhole(thrown, store.delta);
  if (why === undefined) throw thrown;
  logWhole(store, path, why);
  onRestart?.();
}

/** Writes all of a file; see `planUpload` for the ways. `learned`: what is to be noted of it. */
async function writeWhole(
  store: S3Store,
  upload: ObjectUpload,
  mayTrail: boolean,
  op: Op,
  learned?: Learned,
): Promise<FileEntry> {
  const { source, md5 } = upload;
  const canSendMd5 = md5 !== undefined && !store.settings.directoryBucket;
  const plan = planUpload(source.size, canSendMd5, mayTrail, store.settings);
  switch (plan.how) {
    case 'whole': {
      const { content, ...inMemory } = await readIntoMemory(upload, op);
      return putBuffer(store, inMemory, content, op);
    }
    case 'stream': {
      // Only a file that may be sent in part was perhaps sent in parts before.
      if (learned !== undefined) await endInterrupted(store, upload);
      const written = await putStream(store, upload, op);
      if (learned !== undefined) await notePieces(store, upload, written, [], learned);
      return written;
    }
    case 'trailer':
      return putWithTrailer(store, upload, () => writeObject(store, source, op), op);
    case 'parts': {
      const { partSize } = plan;
      return plan.inMemory && !store.settings.disableChecksum
        ? uploadParts(store, await readIntoMemory(upload, op), { partSize }, op)
        : uploadParts(store, upload, { partSize, learned }, op);
    }
  }
}

/** The MD5 of a file that is too large for memory, if it is available and useful, and sums of its parts. */
async function hashBeforehand(
  store: S3Store,
  source: WriteSource,
  bucket: string,
  mayTrail: boolean,
  op: Op,
): Promise<Hashed> {
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
  // Each with a checksum; read into memory first, so that its MD5 can be stored with it.
  return { how: 'parts', partSize: partSizeOf(size, settings), inMemory: isSmall } as const;
}

/** The size of the parts of a file of `size` bytes. Throws `too-large`. */
function partSizeOf(
  size: number,
  { chunkSize, maxUploadParts }: Pick<S3Settings, 'chunkSize' | 'maxUploadParts'>,
): number {
  if (size <= chunkSize * maxUploadParts) return chunkSize;
  const partSize = Math.ceil(size / maxUploadParts / MIB) * MIB;
  if (partSize <= 5 * 1024 ** 3) return partSize;
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
