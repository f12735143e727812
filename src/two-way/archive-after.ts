import { parentPath } from '../core/remote-path.ts';
import { createTaskPool } from '../sync/task-pool.ts';
import type { Directions } from './act-on-both.ts';
import type { AgreedFiles } from './agreed-files.ts';
import type { Archive } from './archive.ts';
import type { AfterMoves } from './carry-out-moves.ts';
import { otherSide, type Side } from './decide-two-way.ts';
import {
  agreedFile,
  type BothTrees,
  idOf,
  isMarkable,
  type LookRules,
  markable,
} from './look-both.ts';
import type { MarkRules } from './mark.ts';

const SIDES = ['a', 'b'] as const;

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
  { archive: { files: before, roots }, rules }: Pick<LookRules, 'archive' | 'rules'>,
  [removed, moved]: readonly [Record<Side, Set<string>>, AfterMoves['agreed'] | undefined],
): Promise<Archive> {
  const { listedNs } = trees;
  const files = trees.kept;
  for (const { key, decision } of trees.todo) {
    const old = before.get(key);
    const { action } = decision;
    const names = [key, old?.bPath ?? key];
    const isGone = (side: Side) => names.some((name) => recorders[side].removed.has(name));
    const isDeleted =
      (action.do === 'delete' && isGone(action.on)) ||
      (action.do === 'copy' && isGone(otherSide(action.to)));
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
  return {
    roots,
    endedMs: works.b.run.context.clock.now(),
    files,
    dirs: dirsAfter(trees, files, removed),
  };
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
  for (const path of files.paths()) {
    for (let dir = parentPath(path); dir !== '' && !after.has(dir); dir = parentPath(dir))
      after.add(dir);
  }
  return after;
}
