import { deleteOneByOne } from '../../../core/deleting.ts';
import { toSyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { mapAtOnce } from '../../../kit/map-at-once.ts';
import type { DriveStore } from '../drive-store.ts';
import { deleteFile } from './delete-item.ts';
import { runBatch } from './run-batch.ts';

/** Requests in one batch. */
const BATCH = 20;

/** Batches in parallel. */
const AT_ONCE = 4;

/**
 * Deletes files, several ones twenty per request. What a batch does not delete, and everything if batches are not supported, is
 * deleted one by one.
 */
export async function deleteFiles(
  store: DriveStore,
  files: readonly FileEntry[],
  op: Op,
): Promise<ReadonlyMap<FileEntry, Error>> {
  op.signal.throwIfAborted();
  if (files.length === 1) return deleteOneByOne(files, op, (file) => deleteFile(store, file, op));
  const failures = new Map<FileEntry, Error>();
  const groups: FileEntry[][] = [];
  for (let i = 0; i < files.length; i += BATCH) groups.push(files.slice(i, i + BATCH));
  await mapAtOnce(groups, AT_ONCE, (group) => deleteGroup(store, group, failures, op));
  return failures;
}

async function deleteGroup(
  store: DriveStore,
  group: readonly FileEntry[],
  failures: Map<FileEntry, Error>,
  op: Op,
): Promise<void> {
  const { done, mayBeGone } = await runBatch(store, group, op);
  const left = group.filter((file) => !done.has(file));
  await Promise.all(
    left.map(async (file) => {
      try {
        await deleteFile(store, file, op);
      } catch (thrown) {
        op.signal.throwIfAborted();
        const error = toSyncerError(thrown);
        if (!(mayBeGone && error.code === 'file-not-found')) failures.set(file, error);
      }
    }),
  );
}
