import { toSyncerError } from './errors.ts';
import type { Deletion, FileEntry, Op, Remote } from './remote.ts';

/** The result of a deletion: each failure with its file. */
export type DeleteFailures = ReadonlyMap<FileEntry, Error>;

const NONE: DeleteFailures = new Map();

/** Deletes one file. Rejects if it cannot be deleted. */
export async function deleteOne(
  remote: Pick<Remote, 'delete'>,
  file: FileEntry,
  op: Op,
  how?: Deletion,
): Promise<void> {
  for (const error of (await remote.delete([file], op, how)).values()) throw error;
}

/** Deletes files with a call for each, and collects the failures. Rejects only if it is aborted. */
export async function deleteOneByOne(
  files: readonly FileEntry[],
  op: Op,
  deleteFile: (file: FileEntry) => Promise<unknown>,
): Promise<DeleteFailures> {
  let failures: Map<FileEntry, Error> | undefined;
  for (const file of files) {
    try {
      await deleteFile(file);
    } catch (thrown) {
      op.signal.throwIfAborted();
      failures ??= new Map();
      failures.set(file, toSyncerError(thrown));
    }
  }
  return failures ?? NONE;
}
