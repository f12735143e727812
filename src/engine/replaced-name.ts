import { SyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import type { Transfer } from './action.ts';
import type { BothSides, FileWork } from './file-work.ts';
import type { Run } from './run.ts';

/**
 * A file that replaces one whose name matches but is not identical keeps that name, unless the old file goes into the
 * backup. Then it gets its name at the source, as in rclone; but never replaces a third file of that name.
 */
export async function underSourceName(work: FileWork, transfer: Transfer): Promise<Transfer> {
  const { run, dest } = work;
  const { source, replaces } = transfer;
  if (replaces === undefined || replaces.path === source.path) return transfer;
  if (work.options.transform !== undefined) return transfer;
  if (work.options.backup === undefined) return transfer;
  const isFree = await isNameFree(run, dest, replaces.path, source.path);
  return isFree ? { ...transfer, path: source.path } : transfer;
}

/** Whether a file can get a name: nothing has it, or the remote treats it as the file's own. */
export async function isNameFree(
  run: Run,
  remote: Remote,
  path: string,
  wanted: string,
): Promise<boolean> {
  return (
    (await isOneName(run, remote, path, wanted)) ||
    (await remote.stat(wanted, run.op)) === undefined
  );
}

/** Deletes a replaced file of another name. */
export async function deleteReplaced(
  { run, dest }: Pick<FileWork, 'run' | 'dest'>,
  { replaces, path }: Transfer,
): Promise<void> {
  if (replaces === undefined || (await isOneName(run, dest, replaces.path, path))) return;
  await dest.delete(replaces, run.op);
  run.log('info', replaces.path, 'deleted-replaced', { by: path });
}

function isOneName(run: Run, remote: Remote, path: string, other: string): Promise<boolean> {
  return run.places.isSameFile({ remote, file: { path } }, { remote, file: { path: other } });
}

/**
 * Moves a file to a name that its remote treats as the same: only by a server-side move, as a copy would be written
 * onto the file, and deleting the old name would delete both. Errors are counted; they, and a refusal, give `undefined`.
 */
export async function renameCase(
  { run, source, dest }: Pick<FileWork, 'run' | 'source' | 'dest'>,
  file: FileEntry,
  path: string,
): Promise<FileEntry | undefined> {
  try {
    const change = { action: 'move', about: file.path, size: file.size, dest: file, to: path };
    if (!(await run.mayChange(change))) return undefined;
    const moved = await dest.can.moveFrom?.(source, file, path, run.op);
    if (moved === undefined) {
      const text = `can't rename "${file.path}" to "${path}": they are the same file, and the store cannot rename it`;
      throw new SyncerError('unsupported', text, { path: file.path });
    }
    run.context.emit({ type: 'renamed', files: 1 });
    run.log('info', file.path, 'moved', { to: path });
    return moved;
  } catch (thrown) {
    run.fail(thrown, file.path, 'move');
    return undefined;
  }
}

/**
 * `convmv`: the rename of a file whose new name exists, if that is the same file in another case. Otherwise the file
 * keeps its name, which is counted as an error: no other file is replaced.
 */
export async function otherCase(
  { run, source: remote, dest: target }: FileWork,
  { source, dest }: BothSides,
  path: string,
): Promise<Transfer | undefined> {
  const own = { remote, file: source };
  if (await run.places.isSameFile(own, { remote: target, file: dest }))
    return { do: 'move', source, path };
  const text = `"${source.path}" keeps its name: "${path}" exists`;
  const error = new SyncerError('already-exists', text, { path: source.path });
  run.fail(error, source.path, 'rename');
  return undefined;
}
