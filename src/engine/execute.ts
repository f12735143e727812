import type { Spot } from '../core/change-details.ts';
import { hasCode, SyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import type { CopyJob, Transfer } from './action.ts';
import { copyFile, logCopied } from './copy-file.ts';
import type { FileWork } from './file-work.ts';
import { moveFile } from './move-file.ts';
import { deleteReplaced } from './sync-files.ts';

/** Carries out a transfer that every pass admits, and counts it, or its error. Never rejects. */
export async function execute(work: FileWork, transfer: Transfer): Promise<void> {
  const { run, passes } = work;
  try {
    if (run.control?.isPaused === true) await run.control.ready(run.op.signal);
    if (run.op.signal.aborted) return;
    // By index: each file passes here, in code that V8 has not optimized yet.
    for (let at = 0; at < passes.length; at++) {
      const may = passes[at]?.admit?.(transfer) ?? true;
      if (may !== true && !(await may)) return;
    }
    const { replaces } = transfer;
    const over = replaces === undefined ? work.ofNew : await replacing(work, transfer, replaces);
    if (await carryOut(work, transfer, over)) run.transferred.files++;
  } catch (thrown) {
    for (const pass of passes) if (pass.takes?.(transfer, thrown) === true) return;
    failTransfer(work, transfer, thrown);
  }
}

/** Counts a transfer that failed. A file missing during it is not a path of the user: exit codes 3 and 4 are for those. */
export function failTransfer({ run, verb }: FileWork, { source }: Transfer, thrown: unknown): void {
  let error = thrown;
  if (hasCode(thrown, 'file-not-found', 'directory-not-found', 'bucket-not-found')) {
    const { message, path, advice, cause, stop } = thrown;
    error = new SyncerError(stop ? 'config' : 'vanished', message, { path, advice, cause });
  }
  run.fail(error, source.path, verb === 'move' ? 'move' : 'copy');
}

/** Resolves to whether the file is in its place. */
async function carryOut(
  work: FileWork,
  transfer: Transfer,
  over: Pick<CopyJob, 'replaces' | 'change'>,
): Promise<boolean> {
  const { run, limit, options, dest, passes } = work;
  const { source: listed, path, from, replaces } = transfer;
  const { remote: source, file } = from ?? { remote: work.source, file: listed };
  const job: CopyJob = { source, file, dest, path, ...over };
  let written: FileEntry | undefined;
  if (transfer.do === 'move') {
    const moved = await moveFile(run, job, options, limit);
    if (moved.how === 'refused') return false;
    written = moved.written;
  } else {
    const may = limit.mayCopy(path, file.size);
    if (may !== true && !(await may)) return false;
    try {
      const copied = await copyFile(run, job, options);
      written = copied.file;
      limit.copied(file.size, written.size);
      logCopied(run, job, copied.how, listed.path);
    } catch (thrown) {
      let other: Transfer | undefined;
      for (const pass of passes) other ??= pass.instead?.(transfer, thrown);
      if (other === undefined) throw thrown;
      return carryOut(work, other, over);
    }
  }
  run.outcomes?.arrived(path, listed, replaces, written);
  if (replaces !== undefined) await deleteReplaced(work, transfer);
  for (let at = 0; at < passes.length; at++) {
    const done = passes[at]?.done?.(transfer);
    if (done !== undefined) await done;
  }
  return true;
}

/** The file that a transfer replaces; its content is kept first where a pass wants it. */
async function replacing(
  { dest, passes, isWaited }: FileWork,
  transfer: Transfer,
  replaces: FileEntry,
): Promise<Pick<CopyJob, 'replaces' | 'change'>> {
  const { path } = transfer;
  let keptAt: Spot<Remote> | undefined;
  for (const pass of passes) keptAt = (await pass.keep?.(transfer, replaces)) ?? keptAt;
  if (replaces.path !== path) return {};
  const replacesOnly = isWaited && { file: replaces, stamp: dest.can.stamp?.(replaces) };
  return {
    replaces,
    change: { replaces, ...(keptAt && { keptAt }), ...(replacesOnly && { replacesOnly }) },
  };
}
