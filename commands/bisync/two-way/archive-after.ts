import type { FileEntry } from '../../../src/core/remote.ts';
import { parentPath } from '../../../src/core/remote-path.ts';
import { createTaskPool } from '../../../src/engine/task-pool.ts';
import type { Directions } from './act-on-both.ts';
import { type AgreedFiles, type Archive, type DeletedFile, MOST_DELETED } from './agreed-files.ts';
import type { AfterMoves } from './carry-out-moves.ts';
import { type MarkRules, otherSide, SIDES, type Side } from './decide-two-way.ts';
import {
  agreedFile,
  type BothTrees,
  idOf,
  isMarkable,
  type LookRules,
  markable,
} from './look-both.ts';

/** From now on arrivals that need no request are put into `kept`, which becomes the archive. */
export function packArrivals(
  { recorders, works }: Directions,
  { listedNs, kept }: Pick<BothTrees, 'listedNs' | 'kept'>,
  rules: Readonly<Record<Side, MarkRules>>,
): void {
  const { source, dest } = works.b;
  for (const side of SIDES) {
    recorders[side].pack = ({ from, written }) => {
      if (written === undefined) return false;
      const [a, b] = side === 'a' ? [written, from] : [from, written];
      if (!isMarkable(a, rules.a) || !isMarkable(b, rules.b)) return false;
      const ids = { a: idOf(source, a), b: idOf(dest, b) };
      kept.set(a.path, agreedFile(a, b, listedNs, rules, ids));
      return true;
    };
  }
}

/** What both sides agree on after a run, also one that was stopped: only what is proved to be on both. */
export async function archiveAfter(
  { recorders, works }: Directions,
  trees: BothTrees,
  { archive, rules }: Pick<LookRules, 'archive' | 'rules'>,
  [removed, moved]: readonly [Record<Side, Set<string>>, AfterMoves['agreed'] | undefined],
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
          const there = await markable(dest, found, rules[side], works[side]);
          const here = await markable(source, from, rules[otherSide(side)], works[side]);
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
  const kept = new Map([...earlier, ...deleted].slice(-MOST_DELETED));
  return {
    roots,
    endedMs: works.b.run.context.clock.now(),
    files,
    dirs: dirsAfter(trees, files, removed),
    ...(kept.size > 0 && { deleted: kept }),
  };
}

/**
 * The paths that a run has copied although an earlier one had deleted the same file on both sides: another bisync has
 * brought it back, or a person.
 */
export function cameBack(
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

/** Directories that both sides have: those of files that both have, and empty ones that both had and the run has not removed. */
function dirsAfter(
  { dirs }: BothTrees,
  files: AgreedFiles,
  removed: Record<Side, Set<string>>,
): ReadonlySet<string> {
  const after = new Set<string>();
  for (const dir of dirs.a) {
    if (dirs.b.has(dir) && !removed.a.has(dir) && !removed.b.has(dir)) after.add(dir);
  }
  for (const withFiles of files.dirs()) {
    for (let dir = withFiles; dir !== '' && !after.has(dir); dir = parentPath(dir)) after.add(dir);
  }
  return after;
}
