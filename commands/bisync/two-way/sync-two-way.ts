import { SyncerError } from '../../../src/core/errors.ts';
import type { FileEntry, Remote } from '../../../src/core/remote.ts';
import { isWithin, leafName, parentPath } from '../../../src/core/remote-path.ts';
import { counted } from '../../../src/core/shown-text.ts';
import type { FileWork, SyncRequest } from '../../../src/engine/file-work.ts';
import type { SyncOptions } from '../../../src/engine/pass.ts';
import { overlap } from '../../../src/engine/place/overlap.ts';
import { showNotWithin } from '../../../src/engine/place/places.ts';
import { type Attempt, inReview, type Run, type RunSetup } from '../../../src/engine/run.ts';
import { deleteShortcuts, shortcutOf } from '../../../src/engine/shortcuts.ts';
import { isOnWord } from '../../../src/engine/shown-copies.ts';
import { attempt } from '../../../src/engine/sync.ts';
import { createTaskPool } from '../../../src/engine/task-pool.ts';
import { deleteEmptyDirs, makeMissingDirs } from '../../../src/engine/tree-dirs.ts';
import { type ConflictPlan, Directions } from './act-on-both.ts';
import type { Archive, DeletedFile } from './agreed-files.ts';
import { type AfterMoves, carryOutMoves, planMoves } from './carry-out-moves.ts';
import { otherSide, SIDES, type Side } from './decide-two-way.ts';
import {
  agreedFile,
  type BothTrees,
  type FoundPath,
  type FoundTrees,
  idOf,
  isMarkable,
  linkPlace,
  lookAtBoth,
  type MarkGround,
  markable,
} from './look-both.ts';
import { PATH_OF, WORDS } from './words.ts';

/** A two-way sync of two directories. */
export interface TwoWayPlan extends MarkGround {
  readonly a: Remote;
  readonly b: Remote;
  /** The options of each direction, by the side that is written. */
  readonly options: Readonly<Record<Side, SyncOptions>>;
  readonly conflict: ConflictPlan;
  /** What stops a run before it changes anything. */
  readonly surprises: {
    /** `--force`. */
    readonly force: boolean;
    /** Of the files that both sides had, in percent (`--max-delete`); 50 by default. */
    readonly maxDeletePercent?: number | undefined;
    /** Files of this name must be on both sides, in the same directories (`--check-access`). */
    readonly accessFile?: string | undefined;
  };
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

/**
 * One attempt at a two-way sync: look at both sides, decide about each path from what both had when they last agreed,
 * copy in both directions, settle conflicts, delete. Each path stands for itself: what fails is tried again by the
 * next run, and holds nothing else up. Does not reject: errors are in the result.
 */
export async function attemptTwoWay(setup: RunSetup, plan: TwoWayPlan): Promise<TwoWayAttempt> {
  const { a: source, b: dest, options, archive, rules } = plan;
  const engine: SyncRequest = { verb: 'copy', source, dest, options: options.b };
  let result: Omit<TwoWayAttempt, keyof Attempt> = { conflicts: 0, returned: 0 };
  const attempted = await attempt(setup, engine, async (work) => {
    const { run } = work;
    if (run.consent.how === 'all') await showNotWithin(source, dest, [dest], run.filter, run);
    const trees = await lookAtBoth(work, plan);
    const hashes = rules.a.hash !== undefined || rules.b.hash !== undefined;
    const believesTimes = archive.endedMs === 0 && !hashes;
    const directionsOf = (run: Run) =>
      new Directions({ ...work, run }, options.a, plan.conflict, believesTimes);
    const moves = await planMoves(directionsOf(run).works, trees, archive);
    // What both sides would look like if the one that follows had the new names already.
    const gone = new Set(moves.map(({ from }) => from));
    const renamed = (side: Side) => moves.filter(({ on }) => on !== side).length;
    const { a, b } = trees.unchanged;
    await refuseSurprises(work, plan, {
      files: trees.files,
      todo: trees.todo.filter((found) => !gone.has(found)),
      unchanged: { a: a + renamed('a'), b: b + renamed('b') },
    });
    await inReview(run, async (now) => {
      const directions = directionsOf(now);
      const removed = { a: new Set<string>(), b: new Set<string>() };
      let moved: AfterMoves | undefined;
      try {
        moved = await carryOutMoves(directions, trees, moves, plan, removed);
        const { settled, changed } = moved;
        const rest = trees.todo.filter((found) => !settled.has(found));
        await act(directions, { ...trees, todo: [...rest, ...changed] }, plan, removed);
      } finally {
        // Also what a run has done that was stopped.
        if (now.consent.how !== 'collect') {
          await directions.forgetUnshown();
          const after = await archiveAfter(directions, trees, plan, removed, moved?.agreed);
          const returned = cameBack(directions, trees.todo, archive);
          for (const { path, to } of returned.slice(0, 10))
            now.log('notice', path, 'message', { text: WORDS.returned(to) });
          result = { archive: after, conflicts: directions.conflicts, returned: returned.length };
        }
      }
    });
  });
  return { ...attempted, ...result };
}

/** Makes both sides agree on what was found, but for the renames. */
async function act(
  directions: Directions,
  trees: BothTrees,
  plan: TwoWayPlan,
  removed: Record<Side, Set<string>>,
): Promise<void> {
  const { works, recorders } = directions;
  const settled = new Set<FoundPath>();
  const gone = goneShortcuts(trees, plan.archive);
  const remove = async (side: Side, found: readonly FoundPath[]) => {
    const shortcuts = new Map<string, FileEntry[]>();
    const files: FoundPath[] = [];
    for (const each of found) {
      settled.add(each);
      const file = each[side];
      const shortcut = file && shortcutOf(file.path, gone[side]);
      if (file === undefined || shortcut === undefined) {
        files.push(each);
        const { changes } = each.decision;
        works[side].run.log('info', each.key, 'message', { text: WORDS.deletes(changes, side) });
      } else {
        const inside = shortcuts.get(shortcut) ?? [];
        shortcuts.set(shortcut, inside);
        inside.push(file);
      }
    }
    await directions.delete(side, files, trees.known[otherSide(side)]);
    await removeShortcuts(works[side], shortcuts, trees.dirs[side], removed[side]);
  };
  const [a, b] = [works.a.dest.traits, works.b.dest.traits];
  for (const { side, path, blocked } of doubleNames(trees, { a: !a.emptyDirs, b: !b.emptyDirs })) {
    if (blocked.length === 0) continue;
    const [has, lacks] = [PATH_OF[side], PATH_OF[otherSide(side)]];
    const text = `${has} has a file and a directory of this name, and ${lacks} can only have one of them`;
    const advice = `give one of them another name on ${has}, or exclude the file with --exclude`;
    works.b.run.fail(new SyncerError('not-a-file', text, { path, advice }), path, 'copy');
    for (const found of blocked) settled.add(found);
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
      await directions.makeRoom(side, file[side] as FileEntry);
    } else {
      await remove(holder, below);
      const within = [...trees.dirs[holder]].filter((dir) => isWithin(path, dir));
      await removeDirs(works[holder], within, removed[holder]);
    }
  }
  const todo = trees.todo.filter((found) => !settled.has(found));
  const { rules } = plan;
  const { source, dest } = works.b;
  for (const side of SIDES) {
    // From now on arrivals that need no request are put into what becomes the archive.
    recorders[side].pack = ({ from, written }) => {
      if (written === undefined) return false;
      const [one, two] = side === 'a' ? [written, from] : [from, written];
      if (!isMarkable(one, rules.a) || !isMarkable(two, rules.b)) return false;
      const ids = { a: idOf(source, one), b: idOf(dest, two) };
      trees.kept.set(one.path, agreedFile(one, two, trees.listedNs, rules, ids));
      return true;
    };
    recorders[side].packsCopies = !isOnWord(works[side].dest);
  }
  await directions.copy(todo);
  for (const side of SIDES) recorders[side].packsCopies = false;
  await directions.compare(todo);
  for (const side of SIDES) {
    const doomed = todo.filter(
      ({ decision: { action } }) => action.do === 'delete' && action.on === side,
    );
    if (doomed.length > 0) await remove(side, doomed);
  }
  await settleDirs(works, trees, plan, removed);
}

/** Shortcuts of each side that both sides had, and whose directory the other one has deleted. */
function goneShortcuts(
  { dirs, shortcuts, unlisted }: BothTrees,
  archive: Archive,
): Readonly<Record<Side, readonly string[]>> {
  const of = (side: Side) => {
    const other = otherSide(side);
    return [...shortcuts[side]].filter(
      (dir) => !dirs[other].has(dir) && archive.dirs.has(dir) && !unlisted[other].covers(dir),
    );
  };
  return { a: of('a'), b: of('b') };
}

/** Deletes shortcuts instead of the files that they lead to, which belong to others. */
async function removeShortcuts(
  { run, source, dest }: FileWork,
  shortcuts: ReadonlyMap<string, readonly FileEntry[]>,
  dirs: ReadonlySet<string>,
  removed: Set<string>,
): Promise<void> {
  for (const [shortcut, files] of shortcuts) {
    if ((await source.stat(shortcut, run.op)) !== undefined) {
      run.log('notice', shortcut, 'message', { text: WORDS.waits });
      continue;
    }
    const gone = await deleteShortcuts(run, dest, [shortcut], run.filter);
    if (gone.length === 0) continue;
    for (const { path } of files) run.outcomes?.gone(path);
    for (const dir of dirs) if (isWithin(shortcut, dir)) removed.add(dir);
  }
}

/** Directories that both sides had and one has deleted, new ones if wanted, and all that are empty if wanted. */
async function settleDirs(
  works: Readonly<Record<Side, FileWork>>,
  trees: BothTrees,
  { archive, removesEmptyDirs }: TwoWayPlan,
  removed: Record<Side, Set<string>>,
): Promise<void> {
  for (const side of SIDES) {
    const other = otherSide(side);
    const { run, dest, options } = works[side];
    if (run.op.signal.aborted || run.isStopping() || !dest.traits.emptyDirs) continue;
    const { dirs, unlisted } = trees;
    const isGone = (dir: string) =>
      !dirs[other].has(dir) && archive.dirs.has(dir) && !unlisted[other].covers(dir);
    const gone = works[other].dest.traits.emptyDirs ? [...dirs[side]].filter(isGone) : [];
    // Nothing in a shortcut goes with it.
    const shortcuts = goneShortcuts(trees, archive)[side];
    const isOthers = (dir: string) => shortcutOf(parentPath(dir), shortcuts) !== undefined;
    const left = (removesEmptyDirs ? [...dirs[side]] : gone).filter(
      (dir) => !removed[side].has(dir) && !isOthers(dir),
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

/**
 * Rejects before anything is changed if the sides look like something went wrong: a side without any file, more
 * deletions than `--max-delete`, all files changed, access files missing. Exit codes are those of rclone: 7 for a side
 * that cannot be trusted, 1 for what `--force` allows.
 */
async function refuseSurprises(
  work: FileWork,
  { archive, surprises }: Pick<TwoWayPlan, 'archive' | 'surprises'>,
  trees: Pick<BothTrees, 'files' | 'todo' | 'unchanged'>,
): Promise<void> {
  const roots = await overlap(work.source, work.dest, work.run.op);
  if (roots.how !== 'apart') {
    const text = `can't sync overlapping remotes: "${work.source.title}" and "${work.dest.title}"`;
    throw new SyncerError('fatal', text);
  }
  // A root that cannot be listed shows no side: its error is the one to report, and nothing is decided below it.
  const { a, b } = trees.files;
  if (work.run.tally.count > 0 && a.size === 0 && b.size === 0) return;
  const { force, maxDeletePercent, accessFile } = surprises;
  const { files: before } = archive;
  if (accessFile !== undefined) {
    const problem = accessProblem(trees, accessFile);
    if (problem !== undefined) throw refusal('fatal', `check file check failed: ${problem}`);
  }
  if (force || before.size === 0) return;
  for (const side of SIDES) {
    const name = PATH_OF[side];
    const had = counted(before.size, 'file');
    if (trees.files[side].size === 0) {
      throw refusal('fatal', `${name} has no files, but had ${had} after the last run`);
    }
    const gone = trees.todo.filter(({ decision }) => decision.changes[side] === 'deleted');
    const percent = (100 * gone.length) / before.size;
    // Fewer than five deletions are no surprise.
    const isMany = gone.length >= 5 || maxDeletePercent !== undefined;
    if (percent > (maxDeletePercent ?? 50) && isMany) {
      const share = `${gone.length} of ${had} (${Math.floor(percent)}%)`;
      const text = `too many deletes on ${name}: ${share}, more than --max-delete ${maxDeletePercent ?? 50}`;
      throw refusal('other', text);
    }
    if (before.size >= 10 && trees.unchanged[side] === 0) {
      throw refusal('other', `all ${had} were changed on ${name}`);
    }
  }
}

function refusal(code: 'fatal' | 'other', text: string): SyncerError {
  return new SyncerError(code, `nothing was changed: ${text}`, {
    advice: 'check both paths; if this is meant, run again with --force',
  });
}

function accessProblem({ files }: Pick<BothTrees, 'files'>, name: string): string | undefined {
  const of = (side: Side) => new Set([...files[side]].filter((path) => leafName(path) === name));
  const [a, b] = [of('a'), of('b')];
  if (a.size === 0 && b.size === 0) return `no ${name} on either side`;
  for (const path of a) if (!b.has(path)) return `path2 lacks ${path}`;
  for (const path of b) if (!a.has(path)) return `path1 lacks ${path}`;
  return undefined;
}

/** A name that is a file on one side, and on the other a directory, or a link that is shown as a file. */
interface TypeClash {
  readonly path: string;
  /** The side with the file. */
  readonly side: Side;
  readonly file: FoundPath;
  /** What is to be done below the directory; absent: the other side has a file. */
  readonly below?: readonly FoundPath[];
  /**
   * What makes room: the file is deleted (its own side has it unchanged), it is renamed (both sides changed the path),
   * or what is below the directory is deleted.
   */
  readonly makesRoom: 'delete-file' | 'rename-file' | 'delete-dir';
}

/**
 * The names that are a file on one side and something else on the other, on remotes that cannot have both. A directory
 * keeps the name if anything below it is new or changed, and so does a link. Pure.
 *
 * @param suffixes what the names of links have, by side (`Traits.linkSuffix`)
 */
function typeClashes(
  trees: FoundTrees,
  suffixes: Readonly<Record<Side, string | undefined>>,
): TypeClash[] {
  const clashes: TypeClash[] = [];
  for (const side of SIDES) {
    const other = otherSide(side);
    for (const path of trees.files[side]) {
      const place = linkPlace(path, suffixes[other]);
      const isDir = trees.dirs[other].has(place);
      if (!isDir && (place === path || !trees.files[other].has(place))) continue;
      const file = trees.todo.find((found) => found[side]?.path === path);
      if (file === undefined) continue;
      const clash = { path: place, side, file };
      if (isDir) {
        const below = trees.todo.filter((found) => found !== file && isWithin(place, found.key));
        const isFilled = below.some(
          ({ decision: { action } }) => action.do === 'copy' && action.to === side,
        );
        const otherwise = isFilled ? 'rename-file' : 'delete-dir';
        clashes.push({ ...clash, below, makesRoom: isDeleted(file) ? 'delete-file' : otherwise });
        continue;
      }
      // A link, and a file of its name on the other side.
      const plain = trees.todo.find((found) => found[other]?.path === place);
      if (plain === undefined) continue;
      if (isDeleted(file)) clashes.push({ ...clash, makesRoom: 'delete-file' });
      else {
        const makesRoom = isDeleted(plain) ? 'delete-file' : 'rename-file';
        clashes.push({ path: place, side: other, file: plain, makesRoom });
      }
    }
  }
  return clashes;
}

/** What cannot be copied because a side (a bucket) has a name as file and directory, and the other cannot. Pure. */
function doubleNames(
  { todo, files, dirs }: FoundTrees,
  canHaveBoth: Readonly<Record<Side, boolean>>,
) {
  return SIDES.flatMap((side) => {
    const other = otherSide(side);
    if (canHaveBoth[other]) return [];
    const both = [...files[side]].filter((path) => dirs[side].has(path));
    return both.map((path) => {
      const below = (key: string) => (files[other].has(path) ? isWithin(path, key) : key === path);
      const blocked = todo.filter(({ key, decision: { action } }) => {
        return action.do === 'copy' && action.to === other && below(key);
      });
      return { path, side, blocked };
    });
  });
}

const isDeleted = ({ decision }: FoundPath): boolean => decision.action.do === 'delete';

/** What both sides agree on after a run, also one that was stopped: only what is proved to be on both. */
async function archiveAfter(
  { recorders, works }: Directions,
  trees: BothTrees,
  { archive, rules }: MarkGround,
  removed: Readonly<Record<Side, Set<string>>>,
  moved: AfterMoves['agreed'] | undefined,
): Promise<Archive> {
  const { listedNs } = trees;
  const { files: before, roots } = archive;
  const files = trees.kept;
  const deleted: [path: string, file: DeletedFile][] = [];
  for (const found of trees.todo) {
    const { key, decision } = found;
    const old = before.get(key);
    const { action } = decision;
    const names = [key, old?.bPath ?? key];
    const isGone = (side: Side) => names.some((name) => recorders[side].removed.has(name));
    const isDeleted =
      (action.do === 'delete' && isGone(action.on)) ||
      (action.do === 'copy' && isGone(otherSide(action.to)));
    const doomed = action.do === 'delete' ? found[action.on] : undefined;
    if (isDeleted && doomed !== undefined) deleted.push([key, deletedFile(doomed)]);
    const isNew = SIDES.some((side) => names.some((name) => recorders[side].hasPacked(name)));
    if (action.do !== 'forget' && old !== undefined && !isDeleted && !isNew) files.set(key, old);
  }
  for (const [key, each] of moved ?? []) files.set(key, each);
  const keyOfB = files.otherNames();
  for (const side of SIDES) {
    for (const path of recorders[side].removed) {
      if (!recorders[side].hasPacked(path)) continue;
      files.delete(side === 'a' ? path : (keyOfB.get(path) ?? path));
    }
  }
  const pool = createTaskPool(works.b.options.checkers, works.b.options.maxBacklog);
  for (const side of SIDES) {
    const { dest, source, run } = works[side];
    for (const [path, { from, written }] of recorders[side].arrivals) {
      if (recorders[side].removed.has(path)) continue;
      await pool.add(async () => {
        try {
          const found = written ?? (await dest.stat(path, { signal: run.context.signal }));
          if (found?.kind !== 'file') return;
          const there = await markable(dest, found, rules[side], run);
          const here = await markable(source, from, rules[otherSide(side)], run);
          const [a, b] = side === 'a' ? [there, here] : [here, there];
          const ids = { a: idOf(works.b.source, a), b: idOf(works.b.dest, b) };
          files.set(a.path, agreedFile(a, b, listedNs, rules, ids));
        } catch {
          // The next run compares it again.
        }
      });
    }
  }
  await pool.idle();
  const earlier = [...(archive.deleted ?? [])].filter(([path]) => files.get(path) === undefined);
  const kept = new Map([...earlier, ...deleted].slice(-1000));
  // Those of files that both have, and empty ones that both had and the run has not removed.
  const dirs = new Set<string>();
  for (const dir of trees.dirs.a) {
    if (trees.dirs.b.has(dir) && !removed.a.has(dir) && !removed.b.has(dir)) dirs.add(dir);
  }
  for (const withFiles of files.dirs()) {
    for (let dir = withFiles; dir !== '' && !dirs.has(dir); dir = parentPath(dir)) dirs.add(dir);
  }
  const endedMs = works.b.run.context.clock.now();
  return { roots, endedMs, files, dirs, ...(kept.size > 0 && { deleted: kept }) };
}

/** Copied although an earlier run deleted the same file on both sides: another bisync or a person brought it back. */
function cameBack(
  { recorders }: Pick<Directions, 'recorders'>,
  todo: BothTrees['todo'],
  { deleted }: Archive,
): readonly { readonly path: string; readonly to: Side }[] {
  if (deleted === undefined) return [];
  return todo.flatMap(({ key, a, b, decision: { action } }) => {
    const before = deleted.get(key);
    if (before === undefined || action.do !== 'copy') return [];
    const { to } = action;
    const file = to === 'a' ? b : a;
    if (file === undefined || !recorders[to].hasArrived(file.path)) return [];
    const { size, seconds } = deletedFile(file);
    const isSame =
      size === before.size && (seconds ?? before.seconds) === (before.seconds ?? seconds);
    return isSame ? [{ path: key, to }] : [];
  });
}

function deletedFile({ size, modTime }: FileEntry): DeletedFile {
  return modTime === undefined ? { size } : { size, seconds: Number(modTime / 1_000_000_000n) };
}
