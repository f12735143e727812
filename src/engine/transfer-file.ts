import { hasCode, SyncerError, toSyncerError } from '../core/errors.ts';
import { copyFile, logCopied } from './copy-file.ts';
import type { CopyFrom, CopyJob, Transfer } from './copy-job.ts';
import { immutableFile } from './decide-pair.ts';
import type { FileWork } from './file-work.ts';
import { mayTransfer } from './may-transfer.ts';
import { deleteSource, moveFile } from './move-file.ts';
import { backUpBeforeReplace } from './own-backups.ts';
import { deleteReplaced } from './replaced-name.ts';

/** Copies or moves one file, and counts it, or its error. */
export async function transferFile(work: FileWork, transfer: Transfer): Promise<void> {
  if (await tryTransfer(work, transfer)) work.run.transferred.files++;
}

/**
 * Resolves to whether the file reached the destination. With `--dry-run` a copy counts as done and a move does not,
 * as in rclone.
 */
async function tryTransfer(work: FileWork, transfer: Transfer): Promise<boolean> {
  const { run, options, verb, limit } = work;
  const { source, replaces, path } = transfer;
  try {
    if (run.control !== undefined) await run.control.ready(run.op.signal);
    if (run.op.signal.aborted || !limit.mayStart()) return false;
    if (replaces === undefined && (await isKept(work, transfer))) return false;
    const why = replaces === undefined ? undefined : run.whyNotOver?.(source);
    if (why !== undefined) throw new SyncerError('differences', why, { path: source.path });
    if (replaces !== undefined) work.ownBackups?.assertFree(replaces);
    if ((await work.isStale?.(transfer)) === true) return false;
    if (run.guard !== undefined && !(await mayTransfer(work, transfer))) {
      return verb !== 'move' && run.guard.pretends === true;
    }
    const { backup } = options;
    const from = { source: work.source, file: source, isOne: work.isOne === true };
    const keptAt =
      replaces &&
      backup &&
      (await backUpBeforeReplace(run, work.dest, replaces, backup, from, options));
    const over = replacing(work, transfer, keptAt);
    if (transfer.from !== undefined) {
      const isCopied = await copyReference(work, { ...transfer, from: transfer.from }, over);
      if (isCopied === true) {
        run.outcomes?.arrived(path, source, replaces);
        await deleteReplaced(work, transfer);
      }
      if (isCopied !== undefined) return isCopied;
    }
    const job: CopyJob = {
      ...{ source: work.source, file: source, dest: work.dest, path },
      ...over,
    };
    if (verb === 'move' && work.range === undefined) {
      const { how, written } = await moveFile(run, job, options, limit);
      if (how !== 'refused') {
        run.outcomes?.arrived(path, source, replaces, written);
        await deleteReplaced(work, transfer);
      }
      return how !== 'refused';
    }
    if (!(await limit.mayCopy(path, source.size))) return false;
    const { how, file: written } = await copyFile(run, job, options);
    limit.copied(source.size);
    logCopied(run, job, how);
    run.outcomes?.arrived(path, source, replaces, written);
    if (replaces !== undefined) await deleteReplaced(work, transfer);
    if (verb === 'move') throw notListed(source.path);
    return true;
  } catch (thrown) {
    if (work.isStale !== undefined && hasCode(thrown, 'precondition-failed'))
      run.log('notice', path, 'two-way-waits');
    else if (work.obstructed?.take(transfer, path, thrown) !== true)
      failTransfer(work, transfer, thrown);
    return false;
  }
}

/** A move in ranges deletes only what a listing has shown at the destination: another attempt finds it there. */
function notListed(path: string): SyncerError {
  const why = 'it was changed since it was copied, and copied again';
  return new SyncerError('other', `${why}; it stays at the source until it is compared again`, {
    path,
  });
}

/** Counts a transfer that failed. */
export function failTransfer({ run, verb }: FileWork, { source }: Transfer, thrown: unknown): void {
  run.fail(vanished(thrown), source.path, verb === 'move' ? 'move' : 'copy');
}

/**
 * Copies the file of the reference directory instead of the source's. Resolves to whether it was copied, and to
 * `undefined` if that failed: the source still has it.
 */
async function copyReference(
  work: FileWork,
  { source, path, from }: Transfer & { readonly from: CopyFrom },
  over: Pick<CopyJob, 'replaces' | 'change'>,
): Promise<boolean | undefined> {
  const { run, options, limit } = work;
  const { remote, file, isKept, deletesSource } = from;
  if (!(await limit.mayCopy(path, file.size))) return false;
  const job = { source: remote, file, dest: work.dest, path, ...over };
  try {
    const { how } = await copyFile(run, job, options);
    limit.copied(file.size);
    logCopied(run, job, how, source.path);
  } catch (thrown) {
    if (run.op.signal.aborted || toSyncerError(thrown).stop) throw thrown;
    run.log('error', source.path, 'reference-copy-failed');
    return undefined;
  }
  run.log('debug', source.path, 'reference-found', { mode: 'copy' });
  const kept = { remote: work.dest, file: { path } };
  if (deletesSource) await deleteSource(work, source, kept, isKept);
  return true;
}

/** The file that a transfer replaces, and where its content stays: at `keptAt` of the backup. */
function replacing(
  { run, dest, isStale, options: { backup, noCheckDest } }: FileWork,
  { replaces, path }: Transfer,
  keptAt: string | undefined,
): Pick<CopyJob, 'replaces' | 'change'> {
  const isUnknown = noCheckDest || run.filter.looksBeyondPaths === true;
  const file = replaces ?? ('nothing' as const);
  const stamp = replaces && dest.can.stamp?.(replaces);
  const only = isStale && { replacesOnly: { file, stamp } };
  if (replaces === undefined) {
    return isUnknown && only === undefined ? {} : { change: { replaces: 'nothing', ...only } };
  }
  if (replaces.path !== path) return {};
  const kept =
    backup === undefined || keptAt === undefined
      ? {}
      : { keptAt: { remote: backup.remote, path: keptAt } };
  return { replaces, change: { replaces, ...kept, ...only } };
}

/** A file missing during a transfer is not a path of the user: exit codes 3 and 4 are for those. */
function vanished(thrown: unknown): unknown {
  if (!hasCode(thrown, 'file-not-found', 'directory-not-found', 'bucket-not-found')) return thrown;
  const { message, path, advice } = thrown;
  return new SyncerError(thrown.stop ? 'config' : 'vanished', message, {
    ...(path === undefined ? {} : { path }),
    ...(advice === undefined ? {} : { advice }),
    cause: thrown.cause,
  });
}

/**
 * Whether an unlisted entry of the destination stays: `--ignore-existing`, `--immutable`, `--backup-dir` and
 * `--suffix` apply to a symbolic link, too. Otherwise a new file replaces it. Throws if the file then cannot be
 * transferred.
 */
async function isKept(
  { run, options, dest }: FileWork,
  { source, path }: Transfer,
): Promise<boolean> {
  const { ignoreExisting, immutable, backup } = options;
  if (!ignoreExisting && !immutable && backup === undefined) return false;
  const what = await dest.can.unlistedAt?.(path, run.op);
  if (what === undefined) return false;
  if (ignoreExisting) {
    run.log('notice', source.path, 'kept-unlisted', { what });
    return true;
  }
  if (immutable) throw immutableFile();
  throw new SyncerError(
    'not-a-file',
    `${path}: ${what} of that name exists and would not be backed up`,
    {
      path,
      advice: 'move it, or copy links with --links',
    },
  );
}
