import { hasCode, SyncerError } from '../core/errors.ts';
import { sameModTime } from '../core/mod-time.ts';
import type { Reason } from '../core/reason.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { deleteOne } from '../core/remote-calls.ts';
import type { BothSides, Transfer } from './action.ts';
import { type Compared, hasContentAndTime, judgeAsking, logVerdict } from './compare-pair.ts';
import { type FileWork, verbOf } from './file-work.ts';
import { deleteSource, hasListedSize } from './move-file.ts';
import { targetPath } from './name-transform.ts';
import { keepsReplaced, type TransferOf } from './pass.ts';
import { perform } from './perform.ts';
import { comparingRules } from './rules/comparison.ts';
import { isChange } from './rules/rule.ts';
import type { Run } from './run.ts';

/** Settles a pair that is left as it is; `false` for any other, which is not settled yet. */
export function settleEqual(work: FileWork, { verdict, source, dest }: Compared): boolean {
  if (verdict.do !== 'keep') return false;
  logVerdict(work, source.path, verdict);
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
  const { run } = work;
  const { verdict, source, dest } = compared;
  const { reason } = verdict;
  const transfer = { do: verbOf(work), source, replaces: dest, path: dest.path, reason };
  logVerdict(work, source.path, verdict);
  if (verdict.do !== 'set-time') {
    const isEqual = verdict.do === 'keep' || verdict.do === 'delete-source';
    run.outcomes?.compared(isEqual ? 'match' : 'differ', { source, dest });
  }
  if (work.verb === 'move' && (await refuseSpelling(work, compared, wanted))) return undefined;
  let keptBy = dest;
  switch (verdict.do) {
    case 'transfer':
      return prepare(work, transfer, 'pair');
    case 'refuse':
      if ((await prepare(work, transfer, 'refused')) === undefined) break;
      if (reason.why === 'immutable-time') run.log('error', source.path, 'decided', { reason });
      run.fail(verdict.error, source.path);
      return undefined;
    case 'set-time': {
      const outcome = await updateModTime(work, source, dest, reason);
      const result = outcome === 'needs-upload' ? 'differ' : 'match';
      const { modTime } = outcome === 'set' ? source : dest;
      const timed = modTime === undefined ? dest : { ...dest, modTime };
      run.outcomes?.compared(result, { source, dest: timed });
      if (outcome === 'set') {
        const { etag: _, contentTag: __, ...others } = timed;
        keptBy = others;
      }
      if (outcome === 'needs-upload') return prepare(work, transfer, 'time');
      if (outcome === 'failed') {
        run.outcomes?.failed(source.path, 'set-mod-time');
        return undefined;
      }
      break;
    }
    case 'keep':
      return undefined;
    case 'delete-source':
  }
  // The destination has it already: only the source is deleted.
  if (work.verb === 'move') {
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
  if (work.options.transform !== undefined || !keepsReplaced(work.passes)) return transfer;
  if (dest.traits.onDisk && (await isOneName(run, dest, replaces.path, source.path)))
    return transfer;
  const isFree = await isNameFree(run, dest, replaces.path, source.path);
  return isFree ? { ...transfer, path: source.path } : transfer;
}

/**
 * Whether a file stays at the source because the destination, which ignores case, has other content under another
 * spelling of its name: that may be what an earlier `move` left there of a second file, and the source has only one of
 * them now. Counted as an error. A backup or a trash keeps what is replaced, so that nothing is lost. Never rejects.
 */
async function refuseSpelling(
  work: FileWork,
  compared: Compared,
  wanted?: string,
): Promise<boolean> {
  const { run, options } = work;
  const { source, verdict, isSameContent } = compared;
  const { why } = verdict.reason;
  if (isSameContent || !isChange(verdict) || why === 'sizes-identical') return false;
  const isKept = options.keepsReplaced === true || keepsReplaced(work.passes);
  if (verdict.do === 'transfer' && isKept) return false;
  try {
    const stored = await otherSpelling(work, compared, wanted);
    if (stored === undefined) return false;
    if (verdict.do === 'delete-source' && why !== 'dest-newer') {
      const rules = comparingRules({ ...options, checksum: true }, work.ground);
      const result = await judgeAsking({ ...work, rules }, compared);
      if (result?.verdict.do === 'keep') return false;
      if (result === undefined) return true;
    }
    const text = `"${source.path}" is not moved: at the destination it is the same file as "${stored}", which differs in case or Unicode form, and in content`;
    const advice = 'rename one of them, or keep the other with --trash, --backup-dir or --suffix';
    throw new SyncerError('already-exists', text, { path: source.path, advice });
  } catch (thrown) {
    run.fail(thrown, source.path, 'move');
    return true;
  }
}

/** The path of a file at the destination, if the one that it would get is another spelling of it. */
async function otherSpelling(
  { run, dest, options: { transform } }: FileWork,
  { source, dest: { path, storedPath } }: Compared,
  given?: string,
): Promise<string | undefined> {
  const stored = storedPath ?? dest.can.naming?.storedPath(path) ?? path;
  const own = given ?? source.path;
  const isOwn = transform === undefined || given !== undefined;
  const wanted = isOwn ? own : ((await targetPath(run, transform, own)) ?? own);
  if (stored === wanted) return undefined;
  return path === wanted || (await isOneName(run, dest, path, wanted)) ? stored : undefined;
}

/** Whether a file can get a name: nothing has it, or the remote treats it as the file's own. */
export async function isNameFree(
  run: Run,
  remote: Remote,
  path: string,
  wanted: string,
): Promise<boolean> {
  return (
    (await isOneName(run, remote, path, wanted)) ||
    (await remote.stat(wanted, run.op)) === undefined
  );
}

/** Deletes a replaced file of another name. */
export async function deleteReplaced(
  { run, dest }: Pick<FileWork, 'run' | 'dest'>,
  { replaces, path }: Transfer,
): Promise<void> {
  if (replaces === undefined || (await isOneName(run, dest, replaces.path, path))) return;
  await deleteOne(dest, replaces, run.op);
  run.log('info', replaces.path, 'deleted-replaced', { by: path });
}

function isOneName(run: Run, remote: Remote, path: string, other: string): Promise<boolean> {
  return run.places.isSameFile({ remote, file: { path } }, { remote, file: { path: other } });
}

/**
 * Moves a file to a name that its remote treats as the same: only by a server-side move, as a copy would be written
 * onto the file, and deleting the old name would delete both. Errors are counted; they, and a refusal, give `undefined`.
 */
export async function renameCase(
  { run, source, dest }: Pick<FileWork, 'run' | 'source' | 'dest'>,
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
