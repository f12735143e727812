import { hasCode, toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import type { S3Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import { deleteBatch, fitsBatch, StrayAnswer } from './delete-batch.ts';
import { deleteObject, mayBeRewritten } from './delete-object.ts';

/** Parallel single deletions if the batch request cannot be used. */
const SINGLES_AT_ONCE = 16;

/** Deletes one file. */
export async function deleteFile(store: S3Store, file: FileEntry, op: Op): Promise<void> {
  const { bucket, key } = store.locateFile(file);
  if (!mayBeRewritten(key)) return deleteObject(store, bucket, key, op);
  for (const failure of (await deleteKeys(store, bucket, [key], op)).values()) throw failure;
}

/** Deletes files; returns the failures. */
export async function deleteFiles(
  store: S3Store,
  files: readonly FileEntry[],
  op: Op,
): Promise<ReadonlyMap<FileEntry, Error>> {
  const failures = new Map<FileEntry, Error>();
  const byBucket = new Map<string, Map<string, FileEntry>>();
  for (const file of files) {
    const { bucket, key } = store.locateFile(file);
    const keys = byBucket.get(bucket) ?? new Map<string, FileEntry>();
    byBucket.set(bucket, keys.set(key, file));
  }
  for (const [bucket, keys] of byBucket) {
    for (const [key, error] of await deleteKeys(store, bucket, [...keys.keys()], op)) {
      const file = keys.get(key);
      if (file !== undefined) failures.set(file, error);
    }
  }
  return failures;
}

/**
 * Deletes at most 1,000 keys of a bucket; returns the failures. Keys that do not fit a batch request, or that its
 * response omits, are deleted one by one.
 */
export async function deleteKeys(
  store: S3Store,
  bucket: string,
  keys: readonly string[],
  op: Op,
): Promise<ReadonlyMap<string, Error>> {
  const failures = new Map<string, Error>();
  const inBatch = keys.filter(fitsBatch);
  const deleted = new Set<string>();
  if (inBatch.length > 0) {
    try {
      const outcome = await deleteBatch(store, bucket, inBatch, op);
      for (const [key, error] of outcome.failures) failures.set(key, error);
      for (const key of outcome.deleted) deleted.add(key);
    } catch (error) {
      if (!isNoOutcome(error)) throw error;
    }
  }
  const singles =
    deleted.size === keys.length
      ? []
      : keys.filter((key) => !deleted.has(key) && !failures.has(key));
  for (let from = 0; from < singles.length; from += SINGLES_AT_ONCE) {
    const batch = singles.slice(from, from + SINGLES_AT_ONCE);
    await Promise.all(
      batch.map((key) =>
        deleteObject(store, bucket, key, op).catch((error) => {
          op.signal.throwIfAborted();
          failures.set(key, toSyncerError(error));
        }),
      ),
    );
  }
  return failures;
}

/** Whether the server does not support the batch request, or its response is no result. */
function isNoOutcome(error: unknown): boolean {
  if (error instanceof StoreError) return [405, 501].includes(error.status);
  return hasCode(error, 'bad-answer') && !(error instanceof StrayAnswer);
}
