import type { Remote } from '../core/remote.ts';
import { mayWorkInStore, type Transfer } from './copy-job.ts';
import type { FileWork } from './file-work.ts';
import type { Run } from './run.ts';

/**
 * A file that replaces one whose name matches but is not the same keeps that name, unless the old file goes another
 * way: into the backup, or because the store moves the new one. Then it comes with the name it has at the source, as
 * in rclone; but never onto a third file of that name.
 */
export async function underSourceName(work: FileWork, transfer: Transfer): Promise<Transfer> {
  const { run, dest } = work;
  const { source, replaces } = transfer;
  if (replaces === undefined || replaces.path === source.path) return transfer;
  if (!leavesItsName(work, transfer)) return transfer;
  const isFree =
    (await isOneName(run, dest, replaces.path, source.path)) ||
    (await dest.stat(source.path, run.op)) === undefined;
  return isFree ? { ...transfer, path: source.path } : transfer;
}

function leavesItsName({ verb, source, dest, options }: FileWork, { from }: Transfer): boolean {
  if (options.backup !== undefined) return true;
  if (verb !== 'move' || from !== undefined) return false;
  const moves = dest.can.moveFrom !== undefined && !dest.traits.bucketBased;
  return moves && mayWorkInStore({ source, dest }, options);
}

/** Removes the file that was replaced by one of another name. */
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
