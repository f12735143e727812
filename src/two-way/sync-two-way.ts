import { SyncerError } from '../core/errors.ts';
import type { FileEntry, Remote } from '../core/remote.ts';
import { isWithin } from '../core/remote-path.ts';
import { inReview } from '../engine/change-guard.ts';
import { deleteEmptyDirs, makeMissingDirs } from '../engine/empty-dirs.ts';
import type { FileWork, SyncPlan } from '../engine/file-work.ts';
import { showNotWithin } from '../engine/place/show-apart.ts';
import type { Attempt, RunSetup } from '../engine/run.ts';
import { attempt } from '../engine/sync.ts';
import type { SyncOptions } from '../engine/sync-options.ts';
import { Directions } from './act-on-both.ts';
import type { Archive } from './archive.ts';
import { archiveAfter, cameBack, packArrivals } from './archive-after.ts';
import { type AfterMoves, carryOutMoves } from './carry-out-moves.ts';
import { otherSide, type Side } from './decide-two-way.ts';
import type { Moved } from './find-moves.ts';
import { type BothTrees, type FoundPath, lookAtBoth } from './look-both.ts';
import type { MarkRules } from './mark.ts';
import { planMoves } from './plan-moves.ts';
import { refuseSurprises, type SurpriseRules } from './refuse-surprises.ts';
import type { ConflictPlan } from './settle-conflict.ts';
import { type DoubleName, doubleNames, typeClashes } from './type-clashes.ts';

const SIDES = ['a', 'b'] as const;

/** A two-way sync of two directories. */
export interface TwoWayPlan {
  readonly a: Remote;
  readonly b: Remote;
  /** The options of each direction, by the side that is written. */
  readonly options: Readonly<Record<Side, SyncOptions>>;
  readonly archive: Archive;
  readonly rules: Readonly<Record<Side, MarkRules>>;
  readonly conflict: ConflictPlan;
  readonly surprises: SurpriseRules;
  /** Remove all empty directories at the end (`--remove-empty-dirs`). */
  readonly removesEmptyDirs: boolean;
}

/** How a two-way sync went, and what both sides agree on now. */
export interface TwoWayAttempt extends Attempt {
  /** Absent: nothing was done, the earlier one still holds. */
  readonly archive?: Archive;
  readonly conflicts: number;
  /** How many files were copied that an earlier run had deleted. */
  readonly returned: number;
}

/** How many of them are named. */
const MOST_NAMED = 10;

/**
 * One attempt at a two-way sync: look at both sides, decide about each path from what both had when they last agreed,
 * copy in both directions, settle conflicts, delete. Each path stands for itself: what fails is tried again by the
 * next run, and holds nothing else up. Does not reject: errors are in the result.
 */
export async function attemptTwoWay(setup: RunSetup, plan: TwoWayPlan): Promise<TwoWayAttempt> {
  const { a: source, b: dest, options } = plan;
  const engine: SyncPlan = { verb: 'copy', source, dest, options: options.b };
  let result: TwoWayResult = { conflicts: 0, returned: 0 };
  const attempted = await attempt(setup, engine, async (work) => {
    const { run } = work;
    if (run.guard === undefined) await showNotWithin(source, dest, [dest], run.filter, run);
    const trees = await lookAtBoth(work, plan);
    const { rules, archive } = plan;
    const hashes = rules.a.hash !== undefined || rules.b.hash !== undefined;
    const believesTimes = archive.endedMs === 0 && !hashes;
    const directionsOf = () => new Directions(work, options.a, plan.conflict, believesTimes);
    const moves = await planMoves(directionsOf().works, trees, plan.archive);
    await refuseSurprises(work, plan, withoutMoves(trees, moves));
    await inReview(run, () =>
      actOn(directionsOf(), trees, moves, plan, (ended) => {
        result = ended;
      }),
    );
  });
  return { ...attempted, ...result };
}

type TwoWayResult = Omit<TwoWayAttempt, keyof Attempt>;

/** Makes both sides agree on what was found. `onEnd` also gets what a run has done that was stopped. */
async function actOn(
  directions: Directions,
  trees: BothTrees,
  moves: readonly Moved[],
  plan: TwoWayPlan,
  onEnd: (result: TwoWayResult) => void,
): Promise<void> {
  const removed = { a: new Set<string>(), b: new Set<string>() };
  const ground = { archive: plan.archive, rules: plan.rules, removed };
  const { run } = directions.works.b;
  const isPlanned = run.guard?.plans === true;
  let moved: AfterMoves | undefined;
  try {
    moved = await carryOutMoves(directions, trees, moves, ground);
    const { settled, changed } = moved;
    const rest = trees.todo.filter((found) => !settled.has(found));
    await act(directions, { ...trees, todo: [...rest, ...changed] }, plan, removed);
  } finally {
    if (!isPlanned) onEnd(await endOf(directions, trees, plan, [removed, moved?.agreed]));
  }
}

/** What both sides agree on after a run; logs which files came back. */
async function endOf(
  directions: Directions,
  trees: BothTrees,
  plan: TwoWayPlan,
  done: Parameters<typeof archiveAfter>[3],
): Promise<TwoWayResult> {
  const archive = await archiveAfter(directions, trees, plan, done);
  const returned = cameBack(directions, trees.todo, plan.archive);
  const { run } = directions.works.b;
  for (const { path, to } of returned.slice(0, MOST_NAMED))
    run.log('notice', path, 'two-way-returned', { side: to });
  return { archive, conflicts: directions.conflicts.count, returned: returned.length };
}

/** What both sides would look like if the one that follows had the new names already. */
function withoutMoves(trees: BothTrees, moves: readonly Moved[]): BothTrees {
  const moved = new Set(moves.map(({ from }) => from));
  const renamed = (side: Side) => moves.filter(({ on }) => on !== side).length;
  const { a, b } = trees.unchanged;
  return {
    ...trees,
    todo: trees.todo.filter((found) => !moved.has(found)),
    unchanged: { a: a + renamed('a'), b: b + renamed('b') },
  };
}

async function act(
  directions: Directions,
  trees: BothTrees,
  plan: TwoWayPlan,
  removed: Record<Side, Set<string>>,
): Promise<void> {
  const { works, recorders } = directions;
  const settled = new Set<FoundPath>();
  const remove = async (side: Side, found: readonly FoundPath[]) => {
    for (const each of found) {
      settled.add(each);
      const { changes } = each.decision;
      works[side].run.log('info', each.key, 'two-way', { changes, action: 'delete', side });
    }
    await directions.delete(side, found, trees.known[otherSide(side)]);
  };
  const [a, b] = [works.a.dest.traits, works.b.dest.traits];
  for (const double of doubleNames(trees, { a: !a.emptyDirs, b: !b.emptyDirs })) {
    if (double.blocked.length > 0) works.b.run.fail(doubleError(double), double.path, 'copy');
    for (const found of double.blocked) settled.add(found);
  }
  for (const clash of typeClashes(trees, { a: a.linkSuffix, b: b.linkSuffix })) {
    const { side, file, below = [], makesRoom, path } = clash;
    if (settled.has(file)) continue;
    const holder = otherSide(side);
    // Two object stores can have both.
    if (!works[side].dest.traits.emptyDirs && !works[holder].dest.traits.emptyDirs) continue;
    if (makesRoom === 'delete-file') await remove(side, [file]);
    else if (makesRoom === 'rename-file') {
      settled.add(file);
      await directions.conflicts.makeRoom(side, file[side] as FileEntry);
    } else {
      await remove(holder, below);
      const within = [...trees.dirs[holder]].filter((dir) => isWithin(path, dir));
      await removeDirs(works[holder], within, removed[holder]);
    }
  }
  const todo = trees.todo.filter((found) => !settled.has(found));
  packArrivals(directions, trees, plan.rules);
  for (const side of SIDES) recorders[side].packsCopies = true;
  await directions.copy(todo);
  for (const side of SIDES) recorders[side].packsCopies = false;
  await directions.compare(todo);
  for (const side of ['a', 'b'] as const) {
    const doomed = todo.filter(
      ({ decision: { action } }) => action.do === 'delete' && action.on === side,
    );
    if (doomed.length > 0) await remove(side, doomed);
  }
  await settleDirs(works, trees, plan, removed);
}

function doubleError({ path, side }: DoubleName): SyncerError {
  const [has, lacks] = side === 'a' ? ['path1', 'path2'] : ['path2', 'path1'];
  const text = `${has} has a file and a directory of this name, and ${lacks} can only have one of them`;
  const advice = `give one of them another name on ${has}, or exclude the file with --exclude`;
  return new SyncerError('not-a-file', text, { path, advice });
}

/** Directories that both sides had and one has deleted, new ones if wanted, and all that are empty if wanted. */
async function settleDirs(
  works: Readonly<Record<Side, FileWork>>,
  trees: BothTrees,
  { archive, removesEmptyDirs }: TwoWayPlan,
  removed: Record<Side, Set<string>>,
): Promise<void> {
  for (const side of ['a', 'b'] as const) {
    const other = otherSide(side);
    const { run, dest, options } = works[side];
    if (run.op.signal.aborted || run.isStopping() || !dest.traits.emptyDirs) continue;
    const { dirs, unlisted } = trees;
    const isGone = (dir: string) =>
      !dirs[other].has(dir) && archive.dirs.has(dir) && !unlisted[other].covers(dir);
    const gone = works[other].dest.traits.emptyDirs ? [...dirs[side]].filter(isGone) : [];
    const left = (removesEmptyDirs ? [...dirs[side]] : gone).filter(
      (dir) => !removed[side].has(dir),
    );
    await removeDirs(works[side], left, removed[side]);
    if (!options.createEmptySrcDirs || removesEmptyDirs) continue;
    const isNew = (dir: string) =>
      !dirs[side].has(dir) && !archive.dirs.has(dir) && !unlisted[side].covers(dir);
    const created = [...dirs[other]].filter(isNew);
    const pairs = created.map((path) => ({ source: { kind: 'dir', path } as const }));
    await makeMissingDirs(run, dest, pairs);
  }
}

async function removeDirs(
  { run, dest, options }: FileWork,
  dirs: readonly string[],
  removed: Set<string>,
): Promise<void> {
  if (dirs.length === 0 || !dest.traits.emptyDirs) return;
  await deleteEmptyDirs(run, dest, dirs, { width: options.checkers });
  for (const dir of dirs) removed.add(dir);
}
