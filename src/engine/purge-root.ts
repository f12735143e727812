import { hasCode, SyncerError } from '../core/errors.ts';
import { compareNames } from '../core/name-order.ts';
import { OWN_NAMES } from '../core/own-names.ts';
import type { Entry, FileEntry, Remote } from '../core/remote.ts';
import { listDir, type OnFailed, otherFileSystem, readPages } from '../core/remote-calls.ts';
import { dirsAbove } from '../core/remote-path.ts';
import { type Approval, changesNow, inReview } from './approval.ts';
import { type DeleteRules, deleteFiles, tellDeleted } from './delete-files.ts';
import type { Run } from './run.ts';
import { deleteEmptyDirs } from './tree-dirs.ts';
import { hasBuckets } from './without-bucket.ts';

interface PurgeRules extends Pick<DeleteRules, 'width' | 'budget'> {
  /** What is deleted goes into the trash in the root, which stays. */
  readonly keepsTrash?: boolean;
}

/**
 * Deletes a remote's root and everything below it: by one call if the remote can, else file by file, and then the
 * directories, deepest first. Filters do not apply. Errors of single files are counted; if there were any, or a
 * directory could not be listed, no directory is deleted. The approval has allowed all of it before.
 */
export async function purgeRoot(run: Run, remote: Remote, given: PurgeRules): Promise<void> {
  if (hasBuckets(remote)) {
    throw new SyncerError('usage', 'purge would delete every bucket; name one: remote:bucket');
  }
  if (run.approval !== undefined && showsPurge(run.approval)) return purgeShown(run, remote, given);
  if (remote.can.purge !== undefined) {
    const onNotDeleted = (path: string, error: Error) => run.fail(error, path, 'delete');
    const change = { ...run.op.change, onDeleted: tellDeleted.bind(undefined, run), onNotDeleted };
    try {
      await remote.can.purge('', { ...run.op, change });
    } catch (thrown) {
      if (run.tally.count > 0 && hasCode(thrown, 'not-empty')) return;
      throw thrown;
    }
    if (remote.traits.onDisk) run.log('info', remote.title, 'removing-dir');
    return;
  }
  const found: FoundDirs = { dirs: [''], foreign: [] };
  await deleteFiles(run, remote, filesBelow(run, remote, found, given), { ...given, agreed: true });
  if (run.tally.count === 0) {
    for (const dir of goingDirs(found).sort((a, b) => compareNames(b, a)))
      await remote.deleteDir(dir, run.op);
  }
  reportForeign(run, found);
}

/** Whether each file and directory is shown that goes: in a review, and by `--dry-run`. */
export const showsPurge = ({ flag }: Approval): boolean => flag !== '--interactive';

/** File by file and directory by directory, with a question about each. */
async function purgeShown(run: Run, remote: Remote, rules: PurgeRules): Promise<void> {
  const found: FoundDirs = { dirs: [''], foreign: [] };
  const { listTreePage } = remote.can;
  const files =
    listTreePage === undefined || remote.traits.emptyDirs
      ? filesBelow(run, remote, found, rules)
      : filesAtOnce(run, listTreePage, rules);
  const pages = run.approval?.plans === true ? await Array.fromAsync(files) : files;
  await inReview(run, async () => {
    await deleteFiles(run, remote, pages, rules);
    if (run.isStopping()) return;
    const dirs = remote.traits.emptyDirs ? goingDirs(found) : [''];
    if (run.tally.count === 0) await deleteEmptyDirs(run, remote, dirs, rules);
    if (run.approval?.plans !== true || changesNow(run.approval)) reportForeign(run, found);
  });
}

/** The directories that a purge finds. */
interface FoundDirs {
  readonly dirs: string[];
  /** Those of other file systems, which stay (`Capabilities.foreignIn`). */
  readonly foreign: string[];
}

/** The directories to delete: all but those that lead to another file system. */
function goingDirs({ dirs, foreign }: FoundDirs): string[] {
  const above = new Set(foreign.flatMap((path) => ['', ...dirsAbove(path)]));
  return dirs.filter((dir) => !above.has(dir));
}

function reportForeign(run: Run, { foreign }: FoundDirs): void {
  for (const path of foreign) run.fail(otherFileSystem(`purge ${path}`, path), path, 'delete');
}

/** All files of a store without directories, by one listing; also those whose names a purge alone can delete. */
async function* filesAtOnce(
  run: Run,
  listTreePage: NonNullable<Remote['can']['listTreePage']>,
  rules: PurgeRules,
): AsyncGenerator<readonly FileEntry[]> {
  const onFailed = failedIn(run);
  for await (const page of readPages((cursor) => listTreePage('', cursor, run.op), onFailed))
    yield withoutKept(page, rules).filter((entry) => entry.kind === 'file');
}

function failedIn(run: Run): OnFailed {
  return ({ path, error }) => run.tally.addListing(error, path, undefined);
}

/**
 * All files, directory by directory; found directories are added to `dirs`, which starts with the first. One that cannot
 * be listed is an error, and the others are listed all the same; rejects if that is the first.
 */
async function* filesBelow(
  run: Run,
  remote: Remote,
  { dirs, foreign }: FoundDirs,
  rules: PurgeRules,
): AsyncGenerator<readonly FileEntry[]> {
  for (let next = 0; next < dirs.length; next++) {
    const dir = dirs[next] ?? '';
    try {
      for await (const listed of listDir(remote, dir, run.op, failedIn(run))) {
        const page = withoutKept(listed, rules);
        for (const { kind, path } of page) if (kind === 'dir') dirs.push(path);
        yield page.filter((entry) => entry.kind === 'file');
      }
      for (const path of (await remote.can.foreignIn?.(dir, run.op)) ?? []) foreign.push(path);
    } catch (thrown) {
      if (dir === '' || run.op.signal.aborted) throw thrown;
      run.tally.addListing(thrown, dir, 'list-directory');
    }
  }
}

/** The entries without the trash in the root, if that stays. */
function withoutKept(entries: readonly Entry[], { keepsTrash }: PurgeRules): readonly Entry[] {
  if (keepsTrash !== true) return entries;
  const { trash } = OWN_NAMES;
  return entries.filter(
    ({ kind, path }) => !path.startsWith(`${trash}/`) && (kind === 'file' || path !== trash),
  );
}
