import { hasCode, SyncerError } from '../core/errors.ts';
import { sameModTime } from '../core/mod-time.ts';
import type { Reason } from '../core/reason.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import type { BothSides, Transfer } from './action.ts';
import { type FileWork, verbOf } from './file-work.ts';
import { loseSource } from './loss/lose-source.ts';
import type { PassGround } from './pass.ts';
import { perform } from './perform.ts';
import { hasContentAndTime, type Judged, judgeAsking } from './rules/ask.ts';
import type { FileVerdict } from './rules/rule.ts';
import type { Run } from './run.ts';

/** Settles a file that is left as it is; `false` for any other, which is not settled yet. */
export function settleUnchanged(work: FileWork, judged: Judged): boolean {
  if (judged.verdict.do !== 'keep') return false;
  report(work, judged);
  return true;
}

/** Whether a rule keeps a file that only the destination has, which a sync would delete; logs why. */
export function isExtraSpared({ run, rules }: FileWork, file: FileEntry): boolean {
  const verdict = rules.judgeExtra(file);
  if (verdict === undefined) return false;
  if (verdict.do === 'refuse') run.fail(verdict.error, file.path, verdict.doing ?? 'delete');
  else if (run.verbose) run.log('debug', file.path, 'decided', { reason: verdict.reason });
  return true;
}

/** Carries out a verdict, except for a transfer, which is returned for the queue. Never rejects. */
export async function settle(work: FileWork, judged: Judged): Promise<Transfer | undefined> {
  report(work, judged);
  return carryOut(work, judged);
}

/** Logs how a file compares, with `-vv`, and reports it. */
function report({ run }: FileWork, { facts: { source, dest }, verdict, base }: Judged): void {
  if (run.verbose) {
    logReason(run, source.path, base);
    if (verdict.reason.why !== base.reason.why) logReason(run, source.path, verdict);
  }
  if (dest === undefined || verdict.do === 'set-time') return;
  const differs = base.do === 'transfer' || base.do === 'refuse';
  run.outcomes?.compared(differs ? 'differ' : 'match', { source, dest });
}

function logReason(run: Run, path: string, { do: what, reason }: FileVerdict): void {
  const { why } = reason;
  if (what === 'refuse' || why === 'new') return;
  if (why === 'in-reference') {
    run.log('debug', path, 'reference-found', { mode: 'compare' });
    return;
  }
  run.log('debug', path, 'decided', { reason });
  const isEqual = what === 'keep' || what === 'delete-source';
  if (isEqual && why !== 'existing') run.log('debug', path, 'unchanged');
}

/** As `settle`, of a file that is not reported: what both sides had before has decided about it. */
export async function carryOut(work: FileWork, judged: Judged): Promise<Transfer | undefined> {
  const { run } = work;
  const { facts, verdict } = judged;
  const { source, dest, path = source.path } = facts;
  switch (verdict.do) {
    case 'transfer': {
      const { reason, as } = verdict;
      const to = dest === undefined ? { path } : { path: dest.path, replaces: dest };
      const why = reason.why === 'new' ? {} : { reason };
      return { do: verbOf(work), source, ...to, ...why, ...as };
    }
    case 'set-time':
      return dest && carryOutTime(work, judged, dest, verdict.reason);
    case 'delete-source':
      if (verdict.equal !== undefined)
        await loseSource(work, source, verdict.equal, verdict.equal.isSure);
      else if (dest !== undefined) await deleteMatched(work, judged, dest);
      return undefined;
    case 'refuse':
      if (verdict.reason.why === 'immutable-time')
        run.log('error', source.path, 'decided', { reason: verdict.reason });
      run.fail(verdict.error, source.path, verdict.doing);
      return undefined;
    case 'keep':
      return undefined;
  }
}

/** Sets the time of the destination's file; a move then deletes the source. */
async function carryOutTime(
  work: FileWork,
  judged: Judged,
  dest: FileEntry,
  reason: Reason,
): Promise<Transfer | undefined> {
  const { outcomes } = work.run;
  const { source } = judged.facts;
  const outcome = await updateModTime(work, source, dest, reason);
  const { modTime } = outcome === 'set' ? source : dest;
  const timed = modTime === undefined ? dest : { ...dest, modTime };
  outcomes?.compared(outcome === 'needs-upload' ? 'differ' : 'match', { source, dest: timed });
  if (outcome === 'failed') {
    outcomes?.failed(source.path, 'set-mod-time');
    return undefined;
  }
  if (outcome === 'needs-upload') {
    const again = await judgeAsking(work, { ...judged.facts, isTimeUnset: true });
    return again && carryOut(work, again);
  }
  if (work.verb !== 'move') return undefined;
  const { etag: _, contentTag: __, ...untagged } = timed;
  await deleteMatched(work, judged, outcome === 'set' ? untagged : dest);
  return undefined;
}

/** Deletes a file of the source whose content the destination has. */
function deleteMatched(work: FileWork, judged: Judged, dest: FileEntry): Promise<void> {
  const isSure = hasContentAndTime(work.dest, judged);
  return loseSource(work, judged.facts.source, { remote: work.dest, file: dest }, isSure);
}

/** Sets the destination's time, if the remote can do that without a new upload. Errors are counted. */
async function updateModTime(
  work: FileWork,
  source: FileEntry,
  dest: FileEntry,
  reason: Reason,
): Promise<'set' | 'declined' | 'needs-upload' | 'failed'> {
  const { run } = work;
  if (work.dest.can.setModTime === undefined || source.modTime === undefined) {
    run.log('debug', source.path, 'mod-time-needs-upload');
    return 'needs-upload';
  }
  try {
    const { modTime } = source;
    const action = { do: 'set-time', file: dest, modTime, source, reason } as const;
    const seen = [
      { remote: work.dest, path: dest.path, listed: dest },
      { remote: work.source, path: source.path, listed: source },
    ];
    const done = await perform(run, work.dest, action, { seen });
    if (done === undefined) return 'declined';
    if (work.verb !== 'move' || work.dest.traits.onDisk) return 'set';
    // A move deletes the only other file that has this time: the server may say that it was set, and not set it.
    const { path } = dest;
    const there = (await work.dest.stat(path, run.op))?.modTime;
    const window = work.ground.windowNs ?? 1n;
    if (there !== undefined && sameModTime(there, modTime, window)) return 'set';
    const text = 'the server accepted the new modification time, but did not store it';
    throw new SyncerError('bad-answer', text, { path });
  } catch (thrown) {
    if (hasCode(thrown, 'archived')) {
      // The time of an archived object can only be that of a new upload, as in rclone. If the source is archived, too,
      // it cannot be read for one: the time stays, unless a move would then delete the only file that has it.
      const isArchived = ARCHIVES.includes(source.tier?.toUpperCase() ?? '');
      const stays = work.verb !== 'move' && isArchived;
      if (stays) run.log('notice', source.path, 'mod-time-archived');
      else run.log('info', source.path, 'mod-time-needs-upload');
      return stays ? 'declined' : 'needs-upload';
    }
    if (hasCode(thrown, 'unsupported')) {
      run.log('debug', source.path, 'mod-time-needs-upload');
      return 'needs-upload';
    }
    run.fail(thrown, source.path, 'set-mod-time');
    return 'failed';
  }
}

/** Storage classes whose objects cannot be read before they are restored. */
const ARCHIVES: readonly string[] = ['GLACIER', 'DEEP_ARCHIVE'];

/**
 * A file that replaces one whose name matches but is not identical keeps that name, unless the old file goes into the
 * backup. Then it gets its name at the source, as in rclone; but never replaces a third file of that name. A disk to
 * which both names are one keeps the old spelling.
 */
export async function underSourceName(work: FileWork, transfer: Transfer): Promise<Transfer> {
  const { run, dest } = work;
  const { source, replaces } = transfer;
  if (replaces === undefined || replaces.path === source.path) return transfer;
  if (work.options.transform !== undefined || work.keeper?.aside === undefined) return transfer;
  if (dest.traits.onDisk && (await run.places.isOneName(dest, replaces.path, source.path)))
    return transfer;
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
    (await run.places.isOneName(remote, path, wanted)) ||
    (await remote.stat(wanted, run.op)) === undefined
  );
}

/**
 * Moves a file to a name that its remote treats as the same: only by a server-side move, as a copy would be written
 * onto the file, and deleting the old name would delete both. Errors are counted; they, and a refusal, give `undefined`.
 */
export async function renameCase(
  { run, source, dest }: PassGround,
  file: FileEntry,
  path: string,
): Promise<FileEntry | undefined> {
  try {
    const rename = { do: 'rename', path: file.path, to: path, file } as const;
    const seen = [{ remote: source, path: file.path, listed: file }];
    return (await perform(run, dest, rename, { seen, from: source }))?.file;
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
