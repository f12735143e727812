import { hasCode } from '../core/errors.ts';
import type { Reason } from '../core/reason.ts';
import type { FileEntry } from '../core/remote.ts';
import type { Transfer } from './action.ts';
import { type Compared, hasContentAndTime } from './compare-pair.ts';
import { immutableFile, logDecision } from './decide-pair.ts';
import { type FileWork, verbOf } from './file-work.ts';
import { deleteSource, hasListedSize } from './move-file.ts';
import type { TransferOf } from './pass.ts';
import { perform } from './perform.ts';
import { refuseSpelling, underSourceName } from './replaced-name.ts';

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

/** Settles a pair that is left as it is; `false` for any other, which is not settled yet. */
export function settleEqual(work: FileWork, { decision, source, dest }: Compared): boolean {
  if (decision.action !== 'skip' || work.verb === 'move') return false;
  logDecision(work, source.path, decision);
  work.run.outcomes?.compared('match', { source, dest });
  return true;
}

/**
 * Carries out the decision about a pair, except for the transfer, which is returned for the queue. Never rejects.
 *
 * @param wanted the path that the file gets if its name counts; absent: that of the source, as it is changed
 */
export async function settle(
  work: FileWork,
  compared: Compared,
  wanted?: string,
): Promise<Transfer | undefined> {
  const { run, options } = work;
  const { decision, source, dest } = compared;
  const { reason } = decision;
  const transfer = { do: verbOf(work), source, replaces: dest, path: dest.path, reason };
  logDecision(work, source.path, decision);
  if (decision.action !== 'set-mod-time') {
    run.outcomes?.compared(decision.action === 'skip' ? 'match' : 'differ', { source, dest });
  }
  if (work.verb === 'move' && (await refuseSpelling(work, compared, wanted))) return undefined;
  let keptBy = dest;
  switch (decision.action) {
    case 'transfer':
      return prepare(work, transfer, 'pair');
    case 'refuse':
      if ((await prepare(work, transfer, 'refused')) === undefined) break;
      if (decision.reason.why === 'immutable-time')
        run.log('error', source.path, 'decided', decision);
      run.fail(immutableFile(), source.path);
      return undefined;
    case 'set-mod-time': {
      const outcome = await updateModTime(work, source, dest, reason);
      const result = outcome === 'needs-upload' ? 'differ' : 'match';
      const { modTime } = outcome === 'set' ? source : dest;
      const timed = modTime === undefined ? dest : { ...dest, modTime };
      run.outcomes?.compared(result, { source, dest: timed });
      if (outcome === 'set') {
        const { etag: _, contentTag: __, ...others } = timed;
        keptBy = others;
      }
      if (outcome === 'needs-upload') return prepare(work, transfer, 'pair');
      if (outcome === 'failed') {
        run.outcomes?.failed(source.path, 'set-mod-time');
        return undefined;
      }
      break;
    }
    case 'skip':
  }
  // The destination has it already: only the source is deleted.
  if (work.verb === 'move' && !options.ignoreExisting) {
    const isByContent = reason.why !== 'dest-newer';
    if (isByContent && !(await hasListedSize(work, source))) return prepare(work, transfer, 'pair');
    const kept = { remote: work.dest, file: keptBy };
    await deleteSource(work, source, kept, hasContentAndTime(work.dest, compared));
  }
  return undefined;
}

/** What the passes leave to do of a transfer; `undefined`: nothing. */
export async function prepare(
  { run, passes }: FileWork,
  transfer: Transfer,
  of: TransferOf,
): Promise<Transfer | undefined> {
  let left = transfer;
  for (const pass of passes) {
    if (pass.prepare === undefined) continue;
    const prepared = await pass.prepare(left, of, run);
    if (prepared === undefined) return undefined;
    left = prepared;
  }
  return left;
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
    return done === undefined ? 'declined' : 'set';
  } catch (thrown) {
    if (hasCode(thrown, 'archived')) return withoutSetting(work, source);
    run.fail(thrown, source.path, 'set-mod-time');
    return 'failed';
  }
}

/**
 * The time of an archived object can only be that of a new upload, as in rclone. If the source is archived, too, it
 * cannot be read for one: the time stays, unless a move would then delete the only file that has it.
 */
function withoutSetting({ run, verb }: FileWork, source: FileEntry): 'declined' | 'needs-upload' {
  if (verb !== 'move' && ARCHIVES.includes(source.tier?.toUpperCase() ?? '')) {
    run.log('notice', source.path, 'mod-time-archived');
    return 'declined';
  }
  run.log('info', source.path, 'mod-time-needs-upload');
  return 'needs-upload';
}

/** Storage classes whose objects cannot be read before they are restored. */
const ARCHIVES: readonly string[] = ['GLACIER', 'DEEP_ARCHIVE'];
