import { hasCode, SyncerError } from '../../core/errors.ts';
import { compareNames } from '../../core/name-order.ts';
import { OWN_NAMES } from '../../core/own-names.ts';
import type { Entry, FileEntry, Op, Remote } from '../../core/remote.ts';
import { listDir, type OnFailed, otherFileSystem, readPages } from '../../core/remote-calls.ts';
import { dirsAbove } from '../../core/remote-path.ts';
import { isReviewed } from '../consent.ts';
import { inReview, type Run } from '../run.ts';
import { deleteEmptyDirs } from '../tree-dirs.ts';
import { hasBuckets } from '../without-bucket.ts';
import type { DoomedFile } from './budget.ts';
import { deleteFiles } from './delete-files.ts';
import { noteOfTree } from './lose.ts';

interface PurgeRules {
  /** Number of parallel requests. */
  readonly width: number;
  /**
   * All entries below the root, also links, which a budget with a limit needs: if it does not allow all of them, nothing
   * is deleted. Absent: they are not counted before.
   */
  readonly counted?: AsyncIterable<readonly Entry[]> | undefined;
  /** Called when it is allowed, just before. */
  readonly begin?: () => Promise<void>;
  /** What is deleted goes into the trash in the root, which stays. */
  readonly keepsTrash?: boolean;
}

/**
 * Deletes a remote's root and everything below it, if the budget and the person allow all of it: by one call if the
 * remote can, else file by file, and then the directories, deepest first. Filters do not apply. Errors of single files
 * are counted; if there were any, or a directory could not be listed, no directory is deleted.
 */
export async function purgeRoot(run: Run, remote: Remote, given: PurgeRules): Promise<void> {
  if (hasBuckets(remote)) {
    throw new SyncerError('usage', 'purge would delete every bucket; name one: remote:bucket');
  }
  if (given.counted !== undefined) await refuseMany(run, given.counted);
  else if (run.budget.isLimited) throw run.budget.error();
  // In a review, and by `--dry-run`, each file and directory is shown that goes.
  const isShown = run.consent.how === 'pretend' || isReviewed(run.consent);
  const change = { do: 'other', words: 'purge directory', about: remote.title } as const;
  if (!isShown && !(await run.mayChange(change))) return;
  await given.begin?.();
  if (isShown) return purgeShown(run, remote, given);
  if (remote.can.purge !== undefined) {
    const onNotDeleted = (path: string, error: Error) => run.fail(error, path, 'delete');
    const onDeleted = (files: readonly DoomedFile[]) => noteOfTree(run, files);
    const onDirDeleted = (path: string) => noteDir(run, path);
    try {
      await remote.can.purge('', {
        ...run.op,
        change: { ...run.op.change, onDeleted, onDirDeleted, onNotDeleted },
      });
    } catch (thrown) {
      if (run.tally.count > 0 && hasCode(thrown, 'not-empty')) return;
      throw thrown;
    }
    if (remote.traits.onDisk) noteDir(run, remote.title);
    return;
  }
  const found: FoundDirs = { dirs: [''], foreign: [] };
  const { width } = given;
  const files = filesBelow(run, remote, found, given);
  await deleteFiles(run, remote, files, { width, ask: 'agreed' });
  if (run.tally.count === 0) {
    for (const dir of goingDirs(found).sort((a, b) => compareNames(b, a)))
      await remote.deleteDir(dir, run.op);
  }
  reportForeign(run, found);
}

/** Notes and counts a directory that was deleted. */
function noteDir(run: Run, name: string): void {
  run.log('info', name, 'removing-dir');
  run.context.emit({ type: 'deleted', files: 0, dirs: 1, bytes: 0 });
}

/** Rejects if the budget does not allow all these files. */
async function refuseMany({ budget }: Run, pages: AsyncIterable<readonly Entry[]>): Promise<void> {
  let [files, bytes] = [0, 0];
  for await (const page of pages) {
    for (const { kind, size = -1 } of page) {
      if (kind !== 'file') continue;
      files++;
      bytes += Math.max(0, size);
      if (!budget.allows(files, bytes)) throw budget.error();
    }
  }
}

/**
 * Deletes a directory whose files are gone, with what no listing shows and is no content: links that are not followed,
 * markers of directories. `undefined` if the remote has no call for it; rejects as that (`Capabilities.purgeUnlisted`).
 *
 * @param orAll where there is only a call that deletes files, too, it will do: there are none
 */
export function purgeEmptied(
  { can }: Remote,
  dir: string,
  op: Op,
  orAll = false,
): Promise<void> | undefined {
  const purge = can.purgeUnlisted ?? (orAll ? can.purge : undefined);
  return purge?.(dir, op);
}

/** File by file and directory by directory, with a question about each. */
async function purgeShown(run: Run, remote: Remote, rules: PurgeRules): Promise<void> {
  const found: FoundDirs = { dirs: [''], foreign: [] };
  const { listTreePage } = remote.can;
  const files =
    listTreePage === undefined || remote.traits.emptyDirs
      ? filesBelow(run, remote, found, rules)
      : filesAtOnce(run, listTreePage, rules);
  const pages = run.consent.how === 'collect' ? await Array.fromAsync(files) : files;
  await inReview(run, async (now) => {
    await deleteFiles(now, remote, pages, { width: rules.width });
    if (now.isStopping()) return;
    const dirs = remote.traits.emptyDirs ? goingDirs(found) : [''];
    if (now.tally.count === 0) await deleteEmptyDirs(now, remote, dirs, rules);
    if (now.consent.how !== 'collect') reportForeign(now, found);
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
