import { toSyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';
import { isWithin } from '../core/remote-path.ts';
import { withModTime } from '../engine/mod-time-of.ts';
import { hasTrash } from '../engine/move-dir.ts';
import type { Rename } from '../engine/pass.ts';
import { renameFiles } from '../engine/rename-files.ts';
import { createTaskPool } from '../engine/task-pool.ts';
import type { Directions } from './act-on-both.ts';
import type { AgreedFile } from './agreed-files.ts';
import type { Archive } from './archive.ts';
import { otherSide, type Side } from './decide-two-way.ts';
import type { Moved } from './find-moves.ts';
import { type BothTrees, type FoundPath, idOf } from './look-both.ts';
import { type MarkRules, markOf } from './mark.ts';
import { type MovedDir, movedDirs } from './moved-dirs.ts';

/** What is known before the renames, and what they add to. */
export interface MoveGround {
  readonly archive: Archive;
  readonly rules: Readonly<Record<Side, MarkRules>>;
  /** Directories that a side no longer has. */
  readonly removed: Readonly<Record<Side, Set<string>>>;
}

/** The result of the renames. */
export interface AfterMoves {
  /** Paths that need nothing else. */
  readonly settled: ReadonlySet<FoundPath>;
  /** Files that have new names, and whose changed content is to be copied back to the side that renamed them. */
  readonly changed: readonly FoundPath[];
  /** What both sides last agreed on about these, by their new paths. */
  readonly agreed: ReadonlyMap<string, AgreedFile>;
}

/**
 * Renames on one side what the other has renamed: whole directories where the remote can, then files. A rename that
 * fails is left to be copied and deleted; a file that has changed since it was listed is left for the next run.
 */
export async function carryOutMoves(
  directions: Directions,
  trees: BothTrees,
  moves: readonly Moved[],
  ground: MoveGround,
): Promise<AfterMoves> {
  const settled = new Set<FoundPath>();
  const changed: FoundPath[] = [];
  const agreed = new Map<string, AgreedFile>();
  const { run, options } = directions.works.b;
  const settle = async (move: Moved, written: FileEntry | undefined) => {
    settled.add(move.from).add(move.to);
    const after = await afterMove(directions, move, written, [trees.listedNs, ground]);
    if (after === undefined) return;
    changed.push(after.found);
    if (after.agreed !== undefined) agreed.set(move.to.key, after.agreed);
  };
  for (const dir of wholeDirs(directions, trees, moves)) {
    if (run.op.signal.aborted || run.isStopping()) break;
    if (!(await renameDir(directions, dir))) continue;
    const { on, from, to } = dir;
    for (const each of trees.dirs[on]) if (isWithin(from, each)) ground.removed[on].add(each);
    ground.removed[on].add(from);
    for (const move of dir.moves) {
      const old = move.from[on] as FileEntry;
      const path = to + old.path.slice(from.length);
      const written = { ...old, path };
      const source = move.to[otherSide(on)] as FileEntry;
      directions.recorders[on].arrived(path, source, old, written);
      directions.recorders[on].gone(old.path);
      await settle(move, written);
    }
  }
  const pool = createTaskPool(options.transfers, 0);
  for (const move of moves) {
    if (run.op.signal.aborted || run.isStopping()) break;
    if (settled.has(move.from)) continue;
    await pool.add(async () => {
      try {
        const done = await renameFile(directions, move);
        if (done === 'waits') settled.add(move.from).add(move.to);
        else if (done !== 'failed') await settle(move, done);
      } catch (thrown) {
        run.fail(thrown, move.to.key, 'rename');
      }
    });
  }
  await pool.idle();
  return { settled, changed, agreed };
}

function wholeDirs(
  { works }: Directions,
  trees: BothTrees,
  moves: readonly Moved[],
): readonly MovedDir[] {
  const { run } = works.b;
  const { filter, guard } = run;
  const seesAll = filter.passesAll && filter.maxDepth < 0;
  // What is reviewed or asked about file by file is done file by file.
  if (!seesAll || guard !== undefined) return [];
  if (trees.unlisted.a.hasAny || trees.unlisted.b.hasAny) return [];
  return movedDirs(moves, trees).filter(({ on }) => works[on].dest.can.moveDirFrom !== undefined);
}

async function renameDir(
  { works }: Directions,
  { on, from, to, moves }: MovedDir,
): Promise<boolean> {
  const { dest, run } = works[on];
  try {
    if ((await dest.stat(to, run.op)) !== undefined) return false;
    if (await hasTrash(dest, from, run.op)) return false;
    if ((await dest.can.moveDirFrom?.(dest, from, to, run.op)) !== true) return false;
  } catch (thrown) {
    if (run.op.signal.aborted || toSyncerError(thrown).stop) throw thrown;
    run.log('debug', from, 'rename-failed', { to, why: toSyncerError(thrown) });
    return false;
  }
  run.log('info', to, 'two-way-moved', { from, side: on, files: moves.length });
  run.context.emit({ type: 'renamed', files: moves.length });
  return true;
}

/** Renames one file. Resolves to its entry under the new name; `undefined` if the guard refused it. */
async function renameFile(
  directions: Directions,
  { on, from, to }: Moved,
): Promise<FileEntry | undefined | 'failed' | 'waits'> {
  const work = directions.works[on];
  const [source, dest] = [to[otherSide(on)], from[on]];
  if (source === undefined || dest === undefined) return 'failed';
  const isAsListed =
    (await directions.isAsListed(on, dest.path, dest)) &&
    (await directions.isAsListed(on, source.path, undefined));
  if (!isAsListed) {
    work.run.log('notice', to.key, 'two-way-waits');
    return 'waits';
  }
  work.run.log('info', to.key, 'two-way-moved', { from: from.key, side: on });
  const rename: Rename = { source, dest };
  if (!(await renameFiles(work, [rename])).has(source)) return 'failed';
  return directions.recorders[on].arrivals.get(source.path)?.written;
}

/**
 * What is left to do about a renamed file: nothing if both sides have the same content, which then also gets the same
 * time. Otherwise the archive must not take the contents for equal.
 */
async function afterMove(
  directions: Directions,
  { on, from, to }: Moved,
  written: FileEntry | undefined,
  [listedNs, { archive, rules }]: readonly [bigint, MoveGround],
): Promise<{ found: FoundPath; agreed?: AgreedFile } | undefined> {
  const other = otherSide(on);
  const { works, recorders } = directions;
  const { run, source: remote, dest } = works[on];
  const [file, old] = [to[other] as FileEntry, from[on] as FileEntry];
  const wasChanged = from.decision.changes[on] === 'changed';
  if (written === undefined && !wasChanged) return undefined;
  if (written !== undefined && !wasChanged && isSameContent(written, old)) {
    const [there, here] = [
      await withModTime(remote, file, run.op),
      await withModTime(dest, written, run.op),
    ];
    await directions.setTime(works[on], there, here);
    return undefined;
  }
  const guard = run.guard;
  const isTrial = guard?.plans === true || guard?.flag === '--dry-run';
  if (written === undefined && !isTrial) return undefined;
  recorders[on].arrivals.delete(file.path);
  const found: FoundPath = {
    key: to.key,
    ...({ [other]: file, [on]: { ...(written ?? old), path: file.path } } as Pick<FoundPath, Side>),
    decision: {
      action: { do: 'copy', to: other },
      changes: on === 'a' ? { a: 'changed', b: 'none' } : { a: 'none', b: 'changed' },
    },
  };
  const mark = archive.files.get(from.key)?.[on];
  if (mark === undefined) return { found };
  const fresh = markOf(file, listedNs, rules[other], idOf(remote, file));
  return { found, agreed: on === 'a' ? { a: mark, b: fresh } : { a: fresh, b: mark } };
}

/** Whether a file kept its content when it was renamed, as far as both entries show. */
function isSameContent(now: FileEntry, old: FileEntry): boolean {
  const isEqual = <T>(x: T | undefined, y: T | undefined) =>
    x === undefined || y === undefined || x === y;
  return (
    now.size === old.size &&
    isEqual(now.modTime, old.modTime) &&
    isEqual(now.contentTag, old.contentTag)
  );
}
