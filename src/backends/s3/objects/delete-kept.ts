import { toSyncerError } from '../../../core/errors.ts';
import { type FileEntry, mostDeleted, type Op } from '../../../core/remote.ts';
import { mapAtOnce } from '../../../kit/map-at-once.ts';
import { abortUpload } from '../buckets/abort-uploads.ts';
import { keptAt } from '../listing/list-kept.ts';
import type { S3Store } from '../store.ts';
import { nameOf } from './delete-batch.ts';
import { deleteObjects } from './delete-files.ts';

/** Uploads aborted in parallel. */
const UPLOADS_AT_ONCE = 16;

/** Deletes the record of an upload of an ended process, which no run can resume any more. */
async function forgetUpload({ id: store, uploads }: S3Store, path: string, id: string) {
  if (uploads?.any() !== true) return;
  for (const record of (await uploads.open()).take(store, path)) {
    if (record.head.id === id) record.delete();
    else record.release();
  }
}

/** `Capabilities.deleteKept`: versions and delete markers a thousand per request, uploads one by one. */
export async function deleteKept(
  store: S3Store,
  files: readonly FileEntry[],
  op: Op,
): Promise<ReadonlyMap<FileEntry, Error>> {
  const failures = new Map<FileEntry, Error>();
  const uploads = files.filter(({ kept }) => kept?.kind === 'upload');
  await mapAtOnce(uploads, UPLOADS_AT_ONCE, async (file) => {
    const { bucket, key, id } = keptAt(store, file);
    try {
      await abortUpload(store, bucket, key, id, op);
      await forgetUpload(store, `${bucket}/${key}`, id);
    } catch (error) {
      op.signal.throwIfAborted();
      failures.set(file, toSyncerError(error));
    }
  });
  const byBucket = new Map<string, Map<string, FileEntry>>();
  for (const file of files) {
    if (file.kept?.kind === 'upload') continue;
    const { bucket, key, id } = keptAt(store, file);
    const versions = byBucket.get(bucket) ?? new Map<string, FileEntry>();
    byBucket.set(bucket, versions.set(nameOf({ key, id }), file));
  }
  for (const [bucket, versions] of byBucket) {
    const doomed = [...versions.values()].map((file) => keptAt(store, file));
    for (let from = 0; from < doomed.length; from += mostDeleted) {
      const some = doomed.slice(from, from + mostDeleted);
      for (const [name, error] of await deleteObjects(store, bucket, some, op)) {
        const file = versions.get(name);
        if (file !== undefined) failures.set(file, error);
      }
    }
  }
  return failures;
}
