import { defined } from '../../core/defined.ts';
import { absentIf, hasCode } from '../../core/errors.ts';
import type { FileEntry, Op, Remote } from '../../core/remote.ts';
import { confirmedEmpty, deleteOne } from '../../core/remote-calls.ts';
import { deleteUnchanged } from '../../system/only-over.ts';

/** Moves a file on the remote, replacing the target; the old file is deleted when the new one is safe. */
export async function moveFile(
  remote: Remote,
  file: FileEntry,
  path: string,
  op: Op,
): Promise<FileEntry> {
  return withPresentEntry(remote, file, op, async (present) => {
    const moved = await remote.can.moveFrom?.(remote, present, path, op);
    if (moved !== undefined) return moved;
    const copied = await copyFile(remote, present, path, op);
    await deleteUnchanged(remote, present, op).catch(absentIf('file-not-found'));
    return copied;
  });
}

/** Copies a file within the remote: by the server, or else by its bytes. */
export async function copyFile(
  remote: Remote,
  file: FileEntry,
  path: string,
  op: Op,
): Promise<FileEntry> {
  const copied = await remote.can.copyFrom?.(remote, file, path, op);
  if (copied !== undefined) return copied;
  const timed =
    file.modTime === undefined ? ((await remote.can.details?.read(file, op)) ?? file) : file;
  const sure = (await remote.can.confirmHashes?.(timed, op)) ?? timed;
  const known = await confirmedEmpty(remote, sure, op);
  const { modTime, mimeType, metadata, isRewritten } = known;
  const hashes = isRewritten ? undefined : known.hashes;
  const source = {
    path,
    size: known.size < 0 ? undefined : known.size,
    ...defined({ modTime, mimeType, metadata, hashes }),
    seekable: true,
    open: remote.read.bind(remote, known),
  };
  return remote.write(source, op);
}

/** Deletes a file; succeeds if it is missing. */
export async function deleteFile(remote: Remote, file: FileEntry, op: Op): Promise<void> {
  const deleting = withPresentEntry(remote, file, op, (present) => deleteOne(remote, present, op));
  await deleting.catch(absentIf('file-not-found'));
}

/** Runs a call that changes a file; repeats it with the current entry if the remote reports a changed file. */
export async function withPresentEntry<T>(
  remote: Remote,
  entry: FileEntry,
  op: Op,
  call: (entry: FileEntry) => Promise<T>,
): Promise<T> {
  try {
    return await call(entry);
  } catch (thrown) {
    if (!hasCode(thrown, 'source-changed', 'precondition-failed')) throw thrown;
    const present = await remote.stat(entry.path, op);
    if (present?.kind !== 'file') throw thrown;
    return call(present);
  }
}
