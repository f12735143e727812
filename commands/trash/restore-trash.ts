import { counted } from '../../src/core/counted.ts';
import { SyncerError } from '../../src/core/errors.ts';
import type { Remote } from '../../src/core/remote.ts';
import type { Run } from '../../src/engine/run.ts';
import { deleteBudget } from '../../src/engine/run-limits.ts';
import { createTaskPool } from '../../src/engine/task-pool.ts';
import type { NotUndone } from '../../src/run/journal/decide-undo.ts';
import type { RunChange } from '../../src/run/journal/read-run.ts';
import { takePlaces } from '../../src/run/presence/take-places.ts';
import { runWithSum } from '../../src/run/transfer/run-attempts.ts';
import { syncOptions } from '../../src/run/transfer/sync-options.ts';
import type { Invocation } from '../../src/shell/command-line/command.ts';
import { logText } from '../../src/shell/log/log-text.ts';
import { ChangeUndoer, leftCounts, refuseLeft, type Undone } from '../undo/use.ts';
import type { TRASH_FLAGS } from './command.ts';
import { nameOf } from './list-trash.ts';
import { chooseTrash, nothingChosen, refusePart } from './read-trash.ts';
import type { TrashedFile } from './trashed-file.ts';

const WORDS: Readonly<Record<NotUndone, string>> = {
  changed: 'Left in the trash: another file has its path',
  blocked: 'Left in the trash: a directory of that name is there',
  'below-file': 'Left in the trash: a file has the name of its directory',
  gone: 'Not restored: it is no longer kept',
};

/**
 * `syncer trash restore`: puts files back where they were, of each path the one that was deleted last. Rejects with
 * `plan-outdated` if another file is there and was left, with `file-not-found` if one is gone.
 */
export async function restoreTrash(
  invocation: Invocation<typeof TRASH_FLAGS>,
  remote: Remote,
): Promise<void> {
  const { flags, context, out } = invocation;
  const chosen = await chooseTrash(invocation, remote);
  const newest = newestOf(chosen.files);
  if (newest.length === 0) throw nothingChosen(chosen);
  await takePlaces(invocation, { remotes: [remote], isFile: false });
  const names = new Map<RunChange, string>();
  let undone: Undone = { restored: 0, deleted: 0, there: 0, left: new Map() };
  let restored = 0;
  const budget = deleteBudget(-1);
  const restore = async (run: Run) => {
    chosen.places.lookAgain();
    const sides = { source: remote, dest: remote, isFile: true };
    const options = await syncOptions(invocation, 'move', sides);
    const undoer = new ChangeUndoer(run, chosen.places, options, flags['force-undo'], budget);
    const pool = createTaskPool(options.transfers, options.transfers);
    for (const file of newest) {
      if (run.op.signal.aborted || run.isStopping()) break;
      const change = deletionOf(file);
      names.set(change, nameOf(file));
      await pool.add(() => undoer.undo(change));
    }
    await pool.idle();
    undone = undoer.result;
    restored += undone.restored;
  };
  await runWithSum(invocation, restore, async (failed) => {
    for (const [change, why] of undone.left) {
      context.emit(logText('notice', WORDS[why], names.get(change)));
    }
    if (!flags['dry-run']) await out.write(`${sumText(restored, undone)}${failed}\n`);
  });
  refuseLeft(undone, ['has another file now, and was', 'have another file now, and were']);
  const { gone } = leftCounts(undone);
  if (gone > 0)
    throw new SyncerError('file-not-found', `${counted(gone, 'file')} could not be restored`);
  refusePart(chosen);
}

/** The first of each path, the newest run being first. */
function newestOf(files: readonly TrashedFile[]): readonly TrashedFile[] {
  const found = new Map<string, TrashedFile>();
  for (const file of files) if (!found.has(file.shown)) found.set(file.shown, file);
  return [...found.values()];
}

/** Its deletion, which restoring it undoes: also if it was replaced, for what is there now is not in its way then. */
function deletionOf({ place, path, old, kept }: TrashedFile): RunChange {
  return { n: 0, do: 'delete', place, path, old, kept };
}

/** @param restored in all attempts; the last one finds what others have restored there */
function sumText(restored: number, undone: Undone): string {
  const { gone } = leftCounts(undone);
  const stay = undone.left.size - gone;
  const there = undone.there - (restored - undone.restored);
  return [
    `Restored ${counted(restored, 'file')}`,
    there === 0 ? '' : `${there} already there`,
    stay === 0 ? '' : `${stay} left in the trash`,
    gone === 0 ? '' : `${gone} no longer kept`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}
