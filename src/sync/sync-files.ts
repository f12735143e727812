import { hasCode, SyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { backUpBeforeReplace } from './backup-file.ts';
import { type Compared, commonGround, comparePair } from './compare-pair.ts';
import { copiedMessage, copyFile } from './copy-file.ts';
import type { CopyJob } from './copy-job.ts';
import { type CommonGround, decide, type FinalDecision } from './decide.ts';
import { skippedMessage } from './dry-run.ts';
import { moveFile } from './move-file.ts';
import { overlap } from './overlap.ts';
import { explain } from './reason.ts';
import type { Run } from './run.ts';
import type { SyncOptions } from './sync-options.ts';
import { createTransferLimit, type TransferLimit } from './transfer-limit.ts';
import type { Transfer } from './transfer-queue.ts';

/** What a run does with the files of the source. */
export type Verb = 'copy' | 'sync' | 'move';

/** A copy, sync or move of one tree, or one file, onto another. */
export interface SyncPlan {
  readonly verb: Verb;
  readonly source: Remote;
  readonly dest: Remote;
  readonly options: SyncOptions;
}

/** A plan in the middle of an attempt: all that decides what happens to a pair of files. */
export interface FileWork extends SyncPlan {
  readonly run: Run;
  readonly ground: CommonGround;
  readonly limit: TransferLimit;
}

/** A file on both sides. */
export interface BothSides {
  readonly source: FileEntry;
  readonly dest: FileEntry;
}

/** Sets up the work of an attempt. */
export function startWork(run: Run, plan: SyncPlan): FileWork {
  return {
    ...plan,
    run,
    ground: commonGround(plan.source, plan.dest, plan.options.modifyWindowNs),
    limit: createTransferLimit(run, plan.options),
  };
}

/** The decision about a pair where the listings told enough; `undefined` where something must be asked. */
export function decideAtOnce(work: FileWork, pair: BothSides): Compared | undefined {
  const decision = decide(pair, work.options, work.ground);
  return 'reason' in decision ? { ...pair, decision } : undefined;
}

/** The decision about a pair; asks the stores. Errors are counted and give `undefined`. */
export async function decideAsking(work: FileWork, pair: BothSides): Promise<Compared | undefined> {
  const { run } = work;
  try {
    return await comparePair(work, pair, work.options, work.ground, run.op);
  } catch (thrown) {
    run.fail(thrown, pair.source.path, 'Failed to compare: ');
    return undefined;
  }
}

/** Logs why a pair is treated as it is, with `-vv`. */
export function logDecision({ run }: FileWork, path: string, decision: FinalDecision): void {
  if (!run.verbose) return;
  if (decision.action !== 'refuse') run.log('debug', path, explain(decision.reason));
  if (decision.action === 'skip') run.log('debug', path, 'Unchanged skipping');
}

/**
 * Does what was decided about a pair, but for the transfer, which is returned for the queue. Never rejects.
 */
export async function settle(work: FileWork, compared: Compared): Promise<Transfer | undefined> {
  const { run, options } = work;
  const { decision, source, dest } = compared;
  const transfer = { source, replaces: dest, path: dest.path };
  logDecision(work, source.path, decision);
  switch (decision.action) {
    case 'transfer':
      return transfer;
    case 'refuse':
      if (decision.reason.why === 'immutable-time')
        run.log('error', source.path, explain(decision.reason));
      run.fail(new SyncerError('no-retry', explain({ why: 'immutable' })), source.path);
      return undefined;
    case 'set-mod-time': {
      const outcome = await updateModTime(work, source, dest);
      if (outcome === 'needs-upload') return transfer;
      if (outcome === 'failed') return undefined;
      break;
    }
    case 'skip':
  }
  if (work.verb === 'move' && !options.ignoreExisting) await removeMoved(work, source, dest);
  return undefined;
}

/** Sets the destination's time, where the store can do that without a new upload. Errors are counted. */
async function updateModTime(
  work: FileWork,
  source: FileEntry,
  dest: FileEntry,
): Promise<'done' | 'needs-upload' | 'failed'> {
  const { run, options } = work;
  const setModTime = work.dest.can.setModTime;
  if (setModTime === undefined || source.modTime === undefined) {
    run.log('debug', source.path, "Can't set the modification time without uploading again");
    return 'needs-upload';
  }
  if (options.dryRun) {
    run.log('notice', source.path, skippedMessage('update modification time', dest.size));
    return 'done';
  }
  try {
    await setModTime(dest, source.modTime, run.op);
    run.log('info', source.path, 'Updated modification time in destination');
  } catch (thrown) {
    run.fail(thrown, source.path, 'Failed to set modification time: ');
    return 'failed';
  }
  return 'done';
}

/** `move` of a file that is at the destination already: only the source's goes. */
async function removeMoved(work: FileWork, source: FileEntry, dest: FileEntry): Promise<void> {
  const { run, options } = work;
  if (overlap(work.source, work.dest) === 'same' && source.path === dest.path) return;
  try {
    if (options.dryRun) {
      run.log('notice', source.path, skippedMessage('delete', source.size));
    } else {
      await work.source.remove(source, run.op);
      run.log('info', source.path, 'Deleted');
    }
    run.context.emit({ type: 'deleted', files: 1, dirs: 0, bytes: Math.max(0, source.size) });
  } catch (thrown) {
    run.fail(thrown, source.path, "Couldn't delete: ");
  }
}

/**
 * Copies or moves one file. Errors are counted; resolves to whether the file was copied to the destination. One
 * that the store moved itself does not count, as in rclone.
 */
export async function transferFile(work: FileWork, transfer: Transfer): Promise<boolean> {
  const { run, options, verb, limit } = work;
  const { source, replaces, path } = transfer;
  if (run.op.signal.aborted || !limit.mayStart()) return false;
  if (options.dryRun) {
    pretendTransfer(work, transfer);
    return verb !== 'move';
  }
  try {
    if (replaces !== undefined && options.backup !== undefined) {
      await backUpBeforeReplace(run, work.dest, replaces, options.backup, options);
    }
    const job: CopyJob = {
      ...{ source: work.source, file: source, dest: work.dest, path },
      replaces: replaces !== undefined,
    };
    if (verb === 'move') return (await moveFile(run, job, options, limit)) === 'copied';
    if (!limit.mayCopy(source.size)) return false;
    const { how } = await copyFile(run, job, options);
    limit.copied(source.size);
    run.log('info', source.path, copiedMessage(job, how));
    return true;
  } catch (thrown) {
    const error = vanished(thrown);
    run.fail(error, source.path, `Failed to ${verb === 'move' ? 'move' : 'copy'}: `);
    return false;
  }
}

/**
 * What is missing in the middle of a transfer is not what the user named: exit codes 3 and 4 are for that.
 */
function vanished(thrown: unknown): unknown {
  if (!hasCode(thrown, 'file-not-found', 'directory-not-found', 'bucket-not-found')) return thrown;
  const { message, path, advice } = thrown;
  return new SyncerError(thrown.stop ? 'config' : 'other', message, {
    ...(path === undefined ? {} : { path }),
    ...(advice === undefined ? {} : { advice }),
    cause: thrown.cause,
  });
}

function pretendTransfer(work: FileWork, { source, replaces }: Transfer): void {
  const { run, options, verb } = work;
  if (replaces !== undefined && options.backup !== undefined) {
    run.log('notice', replaces.path, skippedMessage('copy into backup dir', replaces.size));
  }
  run.log('notice', source.path, skippedMessage(verb === 'move' ? 'move' : 'copy', source.size));
  const id = run.nextId();
  const size = Math.max(0, source.size);
  const { emit } = run.context;
  const kind = verb === 'move' ? 'server-move' : 'copy';
  emit({ type: 'transfer-start', id, kind, path: source.path, size });
  emit({ type: 'transfer-bytes', id, bytes: size });
  emit({ type: 'transfer-end', id });
  if (verb === 'move') emit({ type: 'renamed', files: 1 });
}
