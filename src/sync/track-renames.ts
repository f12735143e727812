import { toSyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';
import { hashOf } from './compare-pair.ts';
import { skippedMessage } from './dry-run.ts';
import { moveFile } from './move-file.ts';
import type { FileWork } from './sync-files.ts';
import { createTaskPool } from './task-pool.ts';

/** What is left to transfer and to delete when renames were carried out. */
export interface AfterRenames {
  readonly newFiles: readonly FileEntry[];
  readonly surplus: readonly FileEntry[];
}

/** A file that got a new name: as it is at the source, and as it still is at the destination. */
interface Rename {
  readonly source: FileEntry;
  readonly dest: FileEntry;
}

/**
 * `--track-renames`: files that are new at the source and have size and hash of a file that only the
 * destination has are renamed there. What cannot be renamed is left to be transferred and deleted.
 */
export async function trackRenames(
  work: FileWork,
  newFiles: readonly FileEntry[],
  surplus: readonly FileEntry[],
): Promise<AfterRenames> {
  if (work.ground.hash === undefined) {
    work.run.log(
      'error',
      work.dest.title,
      'Ignoring --track-renames as the source and destination do not have a common hash',
    );
    return { newFiles, surplus };
  }
  const { title } = work.dest;
  work.run.log('info', title, 'Making map for --track-renames');
  const renames = await findRenames(work, newFiles, surplus);
  work.run.log('info', title, 'Finished making map for --track-renames');
  const done = new Set<FileEntry>();
  const pool = createTaskPool(work.options.transfers, 0);
  for (const rename of renames) {
    await pool.add(async () => {
      if (!(await carryOut(work, rename))) return;
      done.add(rename.source).add(rename.dest);
    });
  }
  await pool.idle();
  return {
    newFiles: newFiles.filter((file) => !done.has(file)),
    surplus: surplus.filter((file) => !done.has(file)),
  };
}

/** Hashes only files whose size stands on both lists. */
async function findRenames(
  work: FileWork,
  newFiles: readonly FileEntry[],
  surplus: readonly FileEntry[],
): Promise<Rename[]> {
  const newSizes = new Set(newFiles.map((file) => file.size));
  const surplusSizes = new Set(surplus.map((file) => file.size));
  const destByKey = await keyed(
    work,
    'dest',
    surplus.filter((file) => newSizes.has(file.size)),
  );
  const sourceByKey = await keyed(
    work,
    'source',
    newFiles.filter((file) => surplusSizes.has(file.size)),
  );
  const renames: Rename[] = [];
  for (const [key, sources] of sourceByKey) {
    const dests = destByKey.get(key) ?? [];
    for (const [i, source] of sources.entries()) {
      const dest = dests[i];
      if (dest !== undefined) renames.push({ source, dest });
    }
  }
  return renames;
}

/** The files by size and hash; those without a hash are left out. */
async function keyed(
  work: FileWork,
  side: 'source' | 'dest',
  files: readonly FileEntry[],
): Promise<Map<string, FileEntry[]>> {
  const hash = work.ground.hash ?? 'md5';
  const keys = new Map<FileEntry, string>();
  const pool = createTaskPool(work.options.checkers, 0);
  for (const file of files) {
    await pool.add(async () => {
      try {
        const value = await hashOf(work[side], file, hash, work.run.op);
        if (value !== undefined) keys.set(file, `${file.size} ${value}`);
      } catch (thrown) {
        work.run.log(
          'debug',
          file.path,
          `No hash for --track-renames: ${toSyncerError(thrown).message}`,
        );
      }
    });
  }
  await pool.idle();
  return Map.groupBy(
    files.filter((file) => keys.has(file)),
    (file) => keys.get(file) ?? '',
  );
}

async function carryOut(work: FileWork, { source, dest }: Rename): Promise<boolean> {
  const { run, options } = work;
  if (options.dryRun) {
    run.log('notice', dest.path, skippedMessage('move', dest.size));
    run.context.emit({ type: 'renamed', files: 1 });
    return true;
  }
  try {
    const job = { source: work.dest, file: dest, dest: work.dest, path: source.path };
    await moveFile(run, job, options);
    run.log('info', source.path, `Renamed from "${dest.path}"`);
    return true;
  } catch (thrown) {
    run.log(
      'debug',
      dest.path,
      `Failed to rename to "${source.path}": ${toSyncerError(thrown).message}`,
    );
    return false;
  }
}
