import { SyncerError } from '../core/errors.ts';
import type { Reason } from '../core/reason.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { type Compared, comparePair } from './compare-pair.ts';
import { mayWorkInStore, type Transfer } from './copy-job.ts';
import { decide, type FinalDecision } from './decide.ts';
import type { BothSides, FileWork } from './file-work.ts';
import { deleteSource } from './move-file.ts';
import { decideReferred, findReference, type TransferOf } from './references.ts';
import type { Run } from './run.ts';
import { withHashShown } from './with-hash-shown.ts';

/** The error of a file that `--immutable` protects and that differs between the sides. */
export function immutableFile(): SyncerError {
  const message = 'Source and destination exist but do not match: immutable file modified';
  return new SyncerError('no-retry', message);
}

/** The decision about a pair if the listings suffice; `undefined` if a request is needed. */
export function decideAtOnce(work: FileWork, pair: BothSides): Compared | undefined {
  const decision = decide(pair, work.options, work.ground);
  return 'reason' in decision ? { ...pair, decision } : undefined;
}

/** The decision about a pair; sends requests if needed. Errors are counted and give `undefined`. */
export async function decideAsking(work: FileWork, pair: BothSides): Promise<Compared | undefined> {
  const { run } = work;
  try {
    return await withHashShown(run, pair.source, (op) =>
      comparePair(work, pair, work.options, work.ground, op),
    );
  } catch (thrown) {
    run.fail(thrown, pair.source.path, 'compare');
    return undefined;
  }
}

/** Logs the reason of a decision about a pair, with `-vv`. */
export function logDecision({ run }: FileWork, path: string, decision: FinalDecision): void {
  if (!run.verbose) return;
  if (decision.action !== 'refuse') run.log('debug', path, 'decided', decision);
  if (decision.action === 'skip') run.log('debug', path, 'unchanged');
}

/** As `settle`, for a file that may have another name. Never rejects. */
export async function settleNamed(
  work: FileWork,
  compared: Compared,
): Promise<Transfer | undefined> {
  const transfer = await settle(work, compared);
  try {
    return transfer === undefined ? undefined : await underSourceName(work, transfer);
  } catch (thrown) {
    work.run.fail(thrown, compared.source.path, 'look-up');
    return undefined;
  }
}

/** Carries out the decision about a pair, except for the transfer, which is returned for the queue. Never rejects. */
export async function settle(work: FileWork, compared: Compared): Promise<Transfer | undefined> {
  const { run, options } = work;
  const { decision, source, dest } = compared;
  const { reason } = decision;
  const transfer = { source, replaces: dest, path: dest.path, reason };
  logDecision(work, source.path, decision);
  switch (decision.action) {
    case 'transfer':
      return refer(work, transfer, 'pair');
    case 'refuse':
      if (await isInCompareDest(work, source, dest)) break;
      if (decision.reason.why === 'immutable-time')
        run.log('error', source.path, 'decided', decision);
      run.fail(immutableFile(), source.path);
      return undefined;
    case 'set-mod-time': {
      const outcome = await updateModTime(work, source, dest, reason);
      if (outcome === 'needs-upload') return refer(work, transfer, 'pair');
      if (outcome === 'failed') return undefined;
      break;
    }
    case 'skip':
  }
  // The destination has it already: only the source is deleted.
  if (work.verb === 'move' && !options.ignoreExisting) {
    await deleteSource(work, source, { remote: work.dest, file: dest });
  }
  return undefined;
}

/**
 * What the reference directories leave to do of a transfer (`--compare-dest`, `--copy-dest`); `undefined`: nothing.
 * Never rejects.
 */
export async function refer(
  work: FileWork,
  transfer: Transfer,
  of: TransferOf,
): Promise<Transfer | undefined> {
  const { run, options, verb } = work;
  const { references } = options;
  const { source, replaces } = transfer;
  if (references === undefined || run.op.signal.aborted) return transfer;
  const found = await findReference(work, source, (replaces ?? source).path);
  if (found === undefined) return transfer;
  const { copies, deletesSource } = decideReferred(references.mode, verb, of, options);
  if (copies) {
    if (replaces !== undefined && (await isDone(work, { source, dest: replaces })))
      return undefined;
    return { ...transfer, from: { ...found, deletesSource } };
  }
  run.log('debug', source.path, 'reference-found', { mode: 'compare' });
  if (deletesSource) await deleteSource(work, source, found);
  return undefined;
}

/** An equal file that would be copied nevertheless stays if a `--copy-dest` has it, too, as in rclone. */
async function isDone(work: FileWork, pair: BothSides): Promise<boolean> {
  if (!work.options.ignoreTimes) return false;
  const asking = { ...work, options: { ...work.options, ignoreTimes: false } };
  const compared = await decideAsking(asking, pair);
  if (compared?.decision.action === 'skip') return true;
  if (compared?.decision.action !== 'set-mod-time') return false;
  const outcome = await updateModTime(work, pair.source, pair.dest, compared.decision.reason);
  return outcome === 'done';
}

/** With `--immutable`, a differing file is not an error if `--compare-dest` has an equal one, as in rclone. */
async function isInCompareDest(
  work: FileWork,
  source: FileEntry,
  dest: FileEntry,
): Promise<boolean> {
  if (work.options.references?.mode !== 'compare') return false;
  return (await findReference(work, source, dest.path)) !== undefined;
}

/** Sets the destination's time, if the remote can do that without a new upload. Errors are counted. */
async function updateModTime(
  work: FileWork,
  source: FileEntry,
  dest: FileEntry,
  reason: Reason,
): Promise<'done' | 'needs-upload' | 'failed'> {
  const { run } = work;
  const setModTime = work.dest.can.setModTime;
  if (setModTime === undefined || source.modTime === undefined) {
    run.log('debug', source.path, 'mod-time-needs-upload');
    return 'needs-upload';
  }
  const change = {
    action: 'update modification time',
    about: source.path,
    size: dest.size,
    ...{ source, dest, reason },
  };
  try {
    if (!(await run.mayChange(change))) return 'done';
    await setModTime(dest, source.modTime, run.op);
    run.log('info', source.path, 'mod-time-set');
  } catch (thrown) {
    run.fail(thrown, source.path, 'set-mod-time');
    return 'failed';
  }
  return 'done';
}

/**
 * A file that replaces one whose name matches but is not identical keeps that name, unless the old file goes into the
 * backup or the server moves the new one. Then it gets its name at the source, as in rclone; but never replaces a
 * third file of that name.
 */
async function underSourceName(work: FileWork, transfer: Transfer): Promise<Transfer> {
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
