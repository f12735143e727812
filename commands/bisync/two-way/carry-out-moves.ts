import { defined } from '../../../src/core/defined.ts';
import { toSyncerError } from '../../../src/core/errors.ts';
import { compareNames } from '../../../src/core/name-order.ts';
import type { FileEntry } from '../../../src/core/remote.ts';
import { isWithin, leafName, parentPath } from '../../../src/core/remote-path.ts';
import { compareHashes } from '../../../src/engine/compare-pair.ts';
import { changesNow } from '../../../src/engine/consent.ts';
import type { FileWork } from '../../../src/engine/file-work.ts';
import { withModTime } from '../../../src/engine/mod-time-of.ts';
import { hasTrash } from '../../../src/engine/move-dir.ts';
import { renameFiles } from '../../../src/engine/move-file.ts';
import { renamerOf } from '../../../src/engine/pass.ts';
import { createTaskPool } from '../../../src/engine/task-pool.ts';
import type { Directions } from './act-on-both.ts';
import type { AgreedFile, AgreedFiles, Archive } from './agreed-files.ts';
import { type Mark, markOf, otherSide, SIDES, type Side } from './decide-two-way.ts';
import {
  type BothTrees,
  type FoundPath,
  type FoundTrees,
  idOf,
  type MarkGround,
} from './look-both.ts';
import { WORDS } from './words.ts';

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
 *
 * @param removed gets the directories that a side no longer has
 */
export async function carryOutMoves(
  directions: Directions,
  trees: BothTrees,
  moves: readonly Moved[],
  marks: MarkGround,
  removed: Readonly<Record<Side, Set<string>>>,
): Promise<AfterMoves> {
  const settled = new Set<FoundPath>();
  const changed: FoundPath[] = [];
  const agreed = new Map<string, AgreedFile>();
  const { run, options } = directions.works.b;
  const settle = async (move: Moved, written: FileEntry | undefined) => {
    settled.add(move.from).add(move.to);
    const after = await afterMove(directions, move, written, trees.listedNs, marks);
    if (after === undefined) return;
    changed.push(after.found);
    if (after.agreed !== undefined) agreed.set(move.to.key, after.agreed);
  };
  for (const dir of wholeDirs(directions, trees, moves)) {
    if (run.op.signal.aborted || run.isStopping()) break;
    if (!(await renameDir(directions, dir))) continue;
    const { on, from, to } = dir;
    for (const each of trees.dirs[on]) if (isWithin(from, each)) removed[on].add(each);
    removed[on].add(from);
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
        const { on, from, to } = move;
        const work = directions.works[on];
        const [source, dest] = [to[otherSide(on)], from[on]];
        if (source === undefined || dest === undefined) return;
        const isAsListed =
          (await directions.isAsListed(on, dest.path, dest)) &&
          (await directions.isAsListed(on, source.path, undefined));
        const text = isAsListed ? WORDS.renames(from.key, on) : WORDS.waits;
        work.run.log(isAsListed ? 'info' : 'notice', to.key, 'message', { text });
        if (!isAsListed) settled.add(from).add(to);
        else if ((await renameFiles(work, [{ source, dest }])).has(source))
          await settle(move, directions.recorders[on].arrivals.get(source.path)?.written);
      } catch (thrown) {
        run.fail(thrown, move.to.key, 'rename');
      }
    });
  }
  await pool.idle();
  return { settled, changed, agreed };
}

/** A directory that one side has renamed with everything in it. */
interface MovedDir {
  /** The side that follows. */
  readonly on: Side;
  readonly from: string;
  readonly to: string;
  readonly moves: readonly Moved[];
}

/** Directories whose files were all renamed alike, and whose new name is free on the side that follows. */
function wholeDirs(
  { works }: Directions,
  { files, dirs, unlisted }: BothTrees,
  moves: readonly Moved[],
): readonly MovedDir[] {
  const { filter, consent } = works.b.run;
  const seesAll = filter.passesAll && filter.maxDepth < 0;
  // What is reviewed or asked about file by file is done file by file.
  if (!seesAll || consent.how !== 'all') return [];
  if (unlisted.a.hasAny || unlisted.b.hasAny) return [];
  const groups = Map.groupBy(moves, (move) => JSON.stringify([move.on, ...renamedDir(move)]));
  const found: MovedDir[] = [];
  for (const [key, group] of groups) {
    const [on, from, to] = JSON.parse(key) as [Side, string, string];
    const other = otherSide(on);
    if (group.length < 2 || from === '' || to === '') continue;
    if (isWithin(from, to) || isWithin(to, from)) continue;
    if (dirs[other].has(from) || files[other].has(from)) continue;
    if (dirs[on].has(to) || files[on].has(to)) continue;
    const below = (paths: Iterable<string>) => [...paths].filter((path) => isWithin(from, path));
    const moved = new Set(group.map((move) => move.from[on]?.path));
    if (!below(files[on]).every((path) => moved.has(path))) continue;
    const isThere = (dir: string) => dirs[other].has(to + dir.slice(from.length));
    if (!below(dirs[on]).every(isThere)) continue;
    if (works[on].dest.can.moveDirFrom !== undefined) found.push({ on, from, to, moves: group });
  }
  return found;
}

/** The topmost directories by which the two paths of a move differ; `''`: none. */
function renamedDir({ on, from, to }: Moved): [from: string, to: string] {
  const old = (from[on]?.path ?? '').split('/');
  const now = (to[otherSide(on)]?.path ?? '').split('/');
  let same = 0;
  const longest = Math.min(old.length, now.length) - 1;
  while (same < longest && old.at(-1 - same) === now.at(-1 - same)) same++;
  if (same === 0) return ['', ''];
  return [old.slice(0, -same).join('/'), now.slice(0, -same).join('/')];
}

async function renameDir({ works }: Directions, { on, from, to, moves }: MovedDir) {
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
  run.log('info', to, 'message', { text: WORDS.renames(from, on, moves.length) });
  run.context.emit({ type: 'renamed', files: moves.length });
  return true;
}

/** What is left to do about a renamed file: nothing if both have the same content, which then gets the same time. */
async function afterMove(
  directions: Directions,
  { on, from, to }: Moved,
  written: FileEntry | undefined,
  listedNs: bigint,
  { archive, rules }: MarkGround,
): Promise<{ found: FoundPath; agreed?: AgreedFile } | undefined> {
  const other = otherSide(on);
  const { works, recorders } = directions;
  const { run, source: remote, dest } = works[on];
  const [file, old] = [to[other] as FileEntry, from[on] as FileEntry];
  const wasChanged = from.decision.changes[on] === 'changed';
  if (written === undefined && !wasChanged) return undefined;
  const isEqual = <T>(x: T | undefined, y: T | undefined) =>
    x === undefined || y === undefined || x === y;
  // It kept its content when it was renamed, as far as both entries show.
  if (
    written !== undefined &&
    !wasChanged &&
    written.size === old.size &&
    isEqual(written.modTime, old.modTime) &&
    isEqual(written.contentTag, old.contentTag)
  ) {
    const [there, here] = [
      await withModTime(remote, file, run.op),
      await withModTime(dest, written, run.op),
    ];
    await directions.setTime(works[on], there, here);
    return undefined;
  }
  const isTrial = !changesNow(run.consent);
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
    const { can } = works[move.on].dest;
    if (can.moveFrom === undefined && can.copyFrom === undefined) continue;
    await pool.add(async () => {
      if (await isProved(works[move.on], move)) moves.push(move);
    });
  }
  await pool.idle();
  const taken = new Set(moves.flatMap(({ from, to }) => [from, to]));
  for (const on of SIDES) {
    const left = trees.todo.filter((found) => !taken.has(found));
    for (const move of await tracked(works[on], on, left)) moves.push(move);
  }
  return moves;
}

/** Whether a common hash shows that the contents are equal; without one, or the old content, the identity has to do. */
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

/** A file that one side has renamed since both agreed about it. */
interface Moved {
  /** The side that has not renamed it, and follows. */
  readonly on: Side;
  /** The old path: only `on` has it, perhaps with changed content. */
  readonly from: FoundPath;
  /** The new path: `on` has nothing there. */
  readonly to: FoundPath;
  /** What shows that it is the same content; `hash`: size and time are equal, a hash has to confirm it. */
  readonly proof: 'identity' | 'hash';
}

/**
 * The files that were renamed on one side: one that both sides had has vanished, and a new one is the same by its
 * identifier and time, its tag or its hash. Each file is in one pair at most; of several candidates, one with the same
 * last name comes first. Pure.
 *
 * A file whose content was changed on the other side is found only by its identity. A path that is in the other one's
 * way is not found: the rules of files and directories of one name apply.
 */
function findMoves(trees: FoundTrees, archive: AgreedFiles): Moved[] {
  const moves: Moved[] = [];
  for (const on of SIDES) {
    const gone = new Vanished(trees.todo, otherSide(on), archive);
    const [files, dirs] = [trees.files[on], trees.dirs[on]];
    // Neither a directory is at the path, nor a file above it.
    const isOpen = (path: string) => {
      for (let dir = parentPath(path); dir !== ''; dir = parentPath(dir))
        if (files.has(dir)) return false;
      return !dirs.has(path);
    };
    const appeared = trees.todo
      .filter(({ decision: { action, changes } }) => {
        return action.do === 'copy' && action.to === on && changes[otherSide(on)] === 'new';
      })
      .filter((found) => found[on] === undefined && isOpen(found.key))
      .sort((x, y) => compareNames(x.key, y.key));
    const paired = new Set<FoundPath>();
    for (const proof of ['identity', 'hash'] as const) {
      for (const sameLeaf of [true, false]) {
        for (const to of appeared) {
          const file = to[otherSide(on)];
          if (file === undefined || paired.has(to)) continue;
          const from = gone.take(keysOf(file, to.id)[proof], to, { on, proof, sameLeaf });
          if (from === undefined) continue;
          paired.add(to);
          moves.push({ on, from, to, proof });
        }
      }
    }
  }
  return moves;
}

/** Files that one side no longer has, by everything that may identify them. */
class Vanished {
  readonly #byKey = new Map<string, FoundPath[]>();
  readonly #taken = new Set<FoundPath>();

  constructor(todo: readonly FoundPath[], side: Side, archive: AgreedFiles) {
    for (const found of todo) {
      const mark = archive.get(found.key)?.[side];
      if (found.decision.changes[side] !== 'deleted' || mark === undefined) continue;
      const keys = allKeys(mark, mark.hash === undefined ? [] : [mark.hash]);
      for (const key of Object.values(keys).flat()) {
        for (const each of [key, withLeaf(key, found.key)]) {
          const known = this.#byKey.get(each);
          if (known === undefined) this.#byKey.set(each, [found]);
          else known.push(found);
        }
      }
    }
  }

  take(
    keys: readonly string[],
    to: FoundPath,
    { on, proof, sameLeaf }: { on: Side; proof: Moved['proof']; sameLeaf: boolean },
  ): FoundPath | undefined {
    for (const key of keys) {
      const found = this.#byKey.get(sameLeaf ? withLeaf(key, to.key) : key) ?? [];
      while (found[0] !== undefined && this.#taken.has(found[0])) found.shift();
      const fits = found.find((from) => {
        if (this.#taken.has(from) || from[on] === undefined) return false;
        if (isWithin(from.key, to.key) || isWithin(to.key, from.key)) return false;
        return proof === 'identity' || from.decision.changes[on] === 'none';
      });
      if (fits === undefined) continue;
      this.#taken.add(fits);
      return fits;
    }
    return undefined;
  }
}

/** What one file can be recognised by: `identity` shows equal contents, `hash` only makes them likely. */
function keysOf(file: FileEntry, id: string | undefined): Record<Moved['proof'], string[]> {
  const { modTime } = file;
  const size = file.isWrong === true || file.isRewritten === true ? -1 : file.size;
  const tag = file.contentTag ?? file.etag;
  const hashes = Object.values(file.hashes ?? {});
  const keys = allKeys({ size, ...defined({ modTime, tag, id }) }, hashes);
  // A tag that is not the content's hash may be the same for two contents.
  const isHash = tag !== undefined && hashes.some((hash) => tag.includes(hash));
  const [sure, likely] = isHash ? [keys.tag, []] : [[], keys.tag];
  return { identity: [...keys.id, ...keys.hash, ...sure], hash: [...likely, ...keys.time] };
}

/** By everything that may identify a file, with its size. */
function allKeys({ size, modTime, tag, id, isYoung }: Mark, hashes: readonly string[]) {
  const isKnown = size >= 0;
  const isOld = isKnown && isYoung !== true;
  // An inode is used again, and whole seconds are set: unpacked archives and reproducible builds have the same for all files.
  const isOfOneContent =
    tag !== undefined || (modTime !== undefined && modTime % 1_000_000_000n !== 0n);
  const isIdentified = isOld && id !== undefined && isOfOneContent;
  return {
    id: isIdentified ? [`id ${size} ${tag ?? modTime} ${id}`] : [],
    hash: isKnown ? hashes.map((hash) => `hash ${hash}`) : [],
    tag: isKnown && tag !== undefined ? [`tag ${size} ${tag}`] : [],
    time: isOld && modTime !== undefined ? [`time ${size} ${modTime}`] : [],
  };
}

const withLeaf = (key: string, path: string): string => `${key}\n${leafName(path)}`;
