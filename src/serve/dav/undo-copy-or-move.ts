import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { withGrace } from '../../kit/abort.ts';
import type { FileCall } from '../files/call.ts';
import {
  GRACE_MS,
  type Move,
  type RunningTransfer,
  renamedDir,
  renameEntry,
  transferFile,
} from './copy-or-move-entry.ts';
import { deleteEmptyDir, deleteTree } from './delete-tree.ts';

/**
 * Undoes what a copy or move that failed has done: gives files and directories their old names, as far as possible, and
 * deletes directories that a move created. Logs what could not be undone.
 */
export async function undoCopyOrMove(call: FileCall, how: RunningTransfer): Promise<void> {
  const { verb, moves, dirs, deleted, asides } = how;
  await withGrace(call.op.signal, GRACE_MS, async (signal) => {
    const own = { ...call, op: { signal } };
    const failed = (from: string, at: string) => (thrown: unknown) => {
      const why = toSyncerError(thrown);
      call.run.log('error', from, 'not-taken-back', { at, why });
    };
    for (const move of moves.toReversed()) {
      call.tree.spared.add(move.to);
      await undoMove(own, move).catch(failed(move.from, move.to));
    }
    for (const { path } of deleted.toReversed()) {
      await makeAgain(own, path).catch((thrown: unknown) => {
        const fields = { doing: 'make-directory', error: toSyncerError(thrown) } as const;
        call.run.log('error', path, 'failed', fields);
      });
    }
    for (const dir of verb === 'move' ? dirs.toReversed() : []) {
      await deleteEmptyDir(own, { kind: 'dir', path: dir }).catch(() => undefined);
      call.tree.made.remove(dir);
    }
    for (const { old, path } of asides.toReversed()) {
      const restore = async () => {
        if (!(await isFree(own, old.path, verb))) throw taken(old.path);
        await renameEntry(own, old, path, old.path);
      };
      await restore().catch(failed(old.path, path));
    }
  });
}

async function makeAgain({ tree, op }: FileCall, dir: string): Promise<void> {
  if ((await tree.remote.stat(dir, op)) === undefined) await tree.makeDir(dir, op);
}

function taken(path: string): SyncerError {
  return new SyncerError('already-exists', 'something else has its name', { path });
}

/** A copy stays beside a source that is there: its deletion may have been sent. */
async function undoMove(call: FileCall, { kind, from, to }: Move): Promise<void> {
  const { tree, op } = call;
  const { remote } = tree;
  if ((await remote.stat(from, op)) !== undefined) return;
  const now = await remote.stat(to, op);
  if (now?.kind !== kind) return;
  if (now.kind === 'file') {
    await transferFile(call, now, from, undefined, {
      verb: 'move',
      moves: [],
      mayOverwrite: false,
    });
  } else if (!(await renamedDir(call, now, from))) {
    throw new SyncerError('other', 'the directory cannot be renamed', { path: from });
  }
  tree.spared.delete(to);
}

/** Deletes a part of a copy, which its source still has. `false` if something must stay. */
async function isFree(
  call: FileCall,
  path: string,
  verb: RunningTransfer['verb'],
): Promise<boolean> {
  const partial = await call.tree.find(path, call.op);
  if (partial === undefined) return true;
  if (verb === 'move') return false;
  await deleteTree(call, partial);
  return true;
}
