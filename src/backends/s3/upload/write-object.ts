import { availableParallelism } from 'node:os';
import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op, WriteSource } from '../../../core/remote.ts';
import type { S3Store } from '../store.ts';
import { errorOfWrite } from '../store-error.ts';
import { writeConditions } from './object-headers.ts';
import { lockWritten } from './object-lock.ts';
import { partSumsDuring } from './part-sums.ts';
import { planUpload, WHOLE_LIMIT } from './plan-upload.ts';
import { putBuffer, putStream, readIntoMemory } from './put-object.ts';
import { putWithTrailer } from './put-with-trailer.ts';
import type { ObjectUpload } from './sent-object.ts';
import { uploadParts } from './upload-parts.ts';

/**
 * Writes a file; see `planUpload` for the ways. It is visible under its name only when complete and verified. Rejects
 * with `precondition-failed` if the object does not meet the conditions of `--header-upload`.
 */
export async function writeObject(store: S3Store, source: WriteSource, op: Op): Promise<FileEntry> {
  const written = await writeUnlocked(store, source, op);
  await lockWritten(store, written, source.metadata, 'write', op);
  return written;
}

async function writeUnlocked(store: S3Store, source: WriteSource, op: Op): Promise<FileEntry> {
  op.signal.throwIfAborted();
  store.hasWritten = true;
  const { bucket, key } = store.locate(source.path);
  if (bucket === '' || key === '') {
    const text = 'no bucket given; write to a path like bucket/file';
    throw new SyncerError('name-invalid', text, { path: source.path });
  }
  try {
    const mayTrail = mayUseTrailer(store, source);
    const { md5, sums } = await hashBeforehand(store, source, mayTrail, op);
    const canSendMd5 = md5 !== undefined && !store.settings.directoryBucket;
    const plan = planUpload(source.size, canSendMd5, mayTrail, store.settings);
    const upload: ObjectUpload = { source, bucket, key, md5, sums };
    switch (plan.how) {
      case 'whole': {
        const { content, ...inMemory } = await readIntoMemory(upload, op);
        return await putBuffer(store, inMemory, content, op);
      }
      case 'stream':
        return await putStream(store, upload, op);
      case 'trailer':
        return await putWithTrailer(store, upload, () => writeUnlocked(store, source, op), op);
      case 'parts': {
        const { partSize } = plan;
        return plan.inMemory && !store.settings.disableChecksum
          ? await uploadParts(store, await readIntoMemory(upload, op), partSize, op)
          : await uploadParts(store, upload, partSize, op);
      }
    }
  } catch (error) {
    op.signal.throwIfAborted();
    throw errorOfWrite(writeConditions(store, source), { path: source.path, bucket, key }, error);
  }
}

/** A server without support for trailers needs another request: a source that opens only once waits for proof. */
function mayUseTrailer({ integrity }: S3Store, { seekable }: WriteSource): boolean {
  return seekable ? integrity.usesTrailers : integrity.trailersAreProven;
}

/** The MD5 of a file that is too large for memory, if it is available and useful, and sums of its parts. */
async function hashBeforehand(
  store: S3Store,
  source: WriteSource,
  mayTrail: boolean,
  op: Op,
): Promise<Pick<ObjectUpload, 'md5' | 'sums'>> {
  const { uploadCutoff, disableChecksum, multipartUploads } = store.settings;
  const { bucket } = store.locate(source.path);
  const { size, hashes, hash } = source;
  if (size === undefined || size <= WHOLE_LIMIT) return { md5: undefined };
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
