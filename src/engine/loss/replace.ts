import type { Spot } from '../../core/change-details.ts';
import type { FileEntry, Remote } from '../../core/remote.ts';
import { deleteOne } from '../../core/remote-calls.ts';
import type { CopyJob, Over, Transfer } from '../action.ts';
import type { FileWork } from '../file-work.ts';
import type { Run } from '../run.ts';
import { loseOne } from './lose.ts';

/**
 * Replaces a file within a transfer that was asked about, as `replace` does. Its content is kept first where a keeper
 * wants it. It does not count.
 *
 * @param replace resolves to whether the new file is in its place
 */
export function loseReplaced(
  work: FileWork,
  transfer: Transfer,
  replaced: FileEntry,
  replace: (over: Over) => Promise<boolean>,
): Promise<boolean> {
  const copying = work.keeper?.aside?.copy(transfer, replaced);
  // A plain replacement waits for nothing more.
  if (copying === undefined) return replace(overOf(work, transfer, replaced, undefined));
  return copying.then((spot) => replace(overOf(work, transfer, replaced, spot)));
}

function overOf(
  { dest, isWaited }: FileWork,
  { path }: Transfer,
  replaces: FileEntry,
  spot: Spot<Remote> | undefined,
): Over {
  if (replaces.path !== path) return {};
  const replacesOnly = isWaited && { file: replaces, stamp: dest.can.stamp?.(replaces) };
  return {
    replaces,
    change: { replaces, ...(spot && { keptAt: spot }), ...(replacesOnly && { replacesOnly }) },
  };
}

/** Deletes a replaced file of another name, now that the new one is in its place. */
export async function deleteReplaced(
  { run, dest }: FileWork,
  { replaces, path }: Transfer,
): Promise<void> {
  if (replaces === undefined || (await run.places.isOneName(dest, replaces.path, path))) return;
  await deleteOne(dest, replaces, run.op);
  run.log('info', replaces.path, 'deleted-replaced', { by: path });
}

/**
 * Replaces a file by a rename in its store. It counts in a move, as in rclone, which deletes it first; not where a keeper
 * has it. Resolves to `over` if the budget does not allow it.
 *
 * @param rename resolves to `nothing` if the store cannot rename
 */
export async function loseRenamedOver(
  run: Run,
  { dest, replaces, change }: CopyJob,
  isPart: boolean,
  rename: () => Promise<unknown>,
): Promise<'gone' | 'refused' | 'over' | 'later'> {
  if (replaces === undefined || change?.keptAt !== undefined) {
    await rename();
    return 'gone';
  }
  const loss = { remote: dest, why: 'replaced', ask: 'agreed', isPart } as const;
  return loseOne(run, loss, replaces, rename);
}
