import { toSyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';
import { compareHashes } from '../engine/compare-hashes.ts';
import type { FileWork } from '../engine/file-work.ts';
import { renamerOf } from '../engine/pass.ts';
import { createTaskPool } from '../engine/task-pool.ts';
import type { Archive } from './archive.ts';
import { otherSide, type Side } from './decide-two-way.ts';
import { findMoves, type Moved } from './find-moves.ts';
import type { BothTrees, FoundPath } from './look-both.ts';

/**
 * The renames of both sides that the other one can repeat without a transfer: those that the archive shows, and with
 * `--track-renames` what its strategy finds of the rest. Changes nothing.
 *
 * @param works by the side that is written
 */
export async function planMoves(
  works: Readonly<Record<Side, FileWork>>,
  trees: BothTrees,
  archive: Archive,
): Promise<readonly Moved[]> {
  const { options } = works.b;
  const moves: Moved[] = [];
  const pool = createTaskPool(options.checkers, 0);
  for (const move of findMoves(trees, archive.files)) {
    if (!canRename(works[move.on])) continue;
    await pool.add(async () => {
      if (await isProved(works[move.on], move)) moves.push(move);
    });
  }
  await pool.idle();
  const taken = new Set(moves.flatMap(({ from, to }) => [from, to]));
  for (const on of ['a', 'b'] as const) {
    const left = trees.todo.filter((found) => !taken.has(found));
    for (const move of await tracked(works[on], on, left)) moves.push(move);
  }
  return moves;
}

function canRename({ dest }: FileWork): boolean {
  return dest.can.moveFrom !== undefined || dest.can.copyFrom !== undefined;
}

/**
 * Whether a hash that both sides have shows that the contents are equal. Without the old content on the other side, or
 * without a common hash, the identity has to do.
 */
async function isProved(work: FileWork, { on, from, to, proof }: Moved): Promise<boolean> {
  const [source, dest] = [to[otherSide(on)], from[on]];
  if (source === undefined || dest === undefined) return false;
  const isIdentified = proof === 'identity';
  if (from.decision.changes[on] !== 'none') return isIdentified;
  if (source.size !== dest.size) return false;
  try {
    const answer = await compareHashes(work, { source, dest }, work.ground.hash, work.run.op);
    return answer === 'same' || (answer === 'unknown' && isIdentified);
  } catch (thrown) {
    const fields = { lack: 'hash', why: toSyncerError(thrown) } as const;
    work.run.log('debug', to.key, 'rename-unknown', fields);
    return false;
  }
}

/** `--track-renames`, in one direction. */
async function tracked(work: FileWork, on: Side, todo: readonly FoundPath[]): Promise<Moved[]> {
  const other = otherSide(on);
  const byFile = new Map<FileEntry, FoundPath>();
  const filesOf = (side: Side, is: (found: FoundPath) => boolean) =>
    todo.flatMap((found) => {
      const file = found[side];
      if (file === undefined || !is(found)) return [];
      byFile.set(file, found);
      return [file];
    });
  const newFiles = filesOf(other, ({ decision: { action, changes }, ...found }) => {
    return action.do === 'copy' && changes[other] === 'new' && found[on] === undefined;
  });
  const extra = filesOf(on, ({ decision: { action } }) => action.do === 'delete');
  if (newFiles.length === 0 || extra.length === 0) return [];
  const renames = (await renamerOf(work.passes)?.(newFiles, extra)) ?? [];
  return renames.flatMap(({ source, dest }) => {
    const [from, to] = [byFile.get(dest), byFile.get(source)];
    return from === undefined || to === undefined ? [] : [{ on, from, to, proof: 'hash' }];
  });
}
