import { listDir } from '../core/list-dir.ts';
import { compareNames } from '../core/name-order.ts';
import { OWN_NAMES } from '../core/own-names.ts';
import type { Entry, FailedEntry, FileEntry, Remote } from '../core/remote.ts';
import type { ChangeGuard } from './change-guard.ts';
import { type DeleteRules, deleteFiles, tellDeleted } from './delete-files.ts';
import { deleteEmptyDirs } from './empty-dirs.ts';
import type { Run } from './run.ts';

/** How to purge. */
interface PurgeRules extends Pick<DeleteRules, 'width' | 'budget'> {
  /** What is deleted goes into the trash in the root, which stays. */
  readonly keepsTrash?: boolean;
}

/**
 * Deletes a remote's root and everything below it: by one call if the remote can, else file by file, and then the
 * directories, deepest first. Filters do not apply. Errors of single files are counted; if there were any, or a
 * directory could not be listed, no directory is deleted. The guard has allowed all of it before.
 */
export async function purgeRoot(run: Run, remote: Remote, given: PurgeRules): Promise<void> {
  if (run.guard !== undefined && showsPurge(run.guard, remote))
    return purgeShown(run, remote, given);
  if (remote.can.purge !== undefined) {
    const change = { ...run.op.change, onDeleted: tellDeleted.bind(undefined, run) };
    await remote.can.purge('', { ...run.op, change });
    if (remote.traits.onDisk) run.log('info', remote.title, 'removing-dir');
    return;
  }
  const dirs = [''];
  await deleteFiles(run, remote, filesBelow(run, remote, dirs, given), { ...given, agreed: true });
  if (run.tally.count > 0) return;
  for (const dir of dirs.sort((a, b) => compareNames(b, a))) {
    await remote.deleteDir(dir, run.op);
  }
}

/** Whether each file and directory is shown that goes: in a review, and, as in rclone, by `--dry-run` on a disk. */
export function showsPurge({ flag }: ChangeGuard, { traits }: Remote): boolean {
  return flag === '--review' || (flag === '--dry-run' && traits.onDisk === true);
}

/** File by file and directory by directory, with a question about each: for a review. */
async function purgeShown(run: Run, remote: Remote, rules: PurgeRules): Promise<void> {
  const dirs = [''];
  await deleteFiles(run, remote, filesBelow(run, remote, dirs, rules), rules);
  if (run.tally.count > 0 || run.isStopping()) return;
  await deleteEmptyDirs(run, remote, remote.traits.emptyDirs ? dirs : [''], rules);
}

/**
 * All files, directory by directory; found directories are added to `dirs`, which starts with the first. One that cannot
 * be listed is an error, and the others are listed all the same; rejects if that is the first.
 */
async function* filesBelow(
  run: Run,
  remote: Remote,
  dirs: string[],
  { keepsTrash }: PurgeRules,
): AsyncGenerator<readonly FileEntry[]> {
  for (let next = 0; next < dirs.length; next++) {
    const dir = dirs[next] ?? '';
    const onFailed = ({ path, error }: FailedEntry) => run.tally.addListing(error, path, undefined);
    try {
      for await (const listed of listDir(remote, dir, run.op, onFailed)) {
        const page = keepsTrash ? listed.filter((entry) => !isRootTrash(entry)) : listed;
        for (const { kind, path } of page) if (kind === 'dir') dirs.push(path);
        yield page.filter((entry) => entry.kind === 'file');
      }
    } catch (thrown) {
      if (dir === '' || run.op.signal.aborted) throw thrown;
      run.tally.addListing(thrown, dir, 'list-directory');
    }
  }
}

function isRootTrash({ kind, path }: Entry): boolean {
  return kind === 'dir' && path === OWN_NAMES.trash;
}
