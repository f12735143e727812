import { isWithin } from '../core/remote-path.ts';
import { otherSide, type Side } from './decide-two-way.ts';
import type { Moved } from './find-moves.ts';
import type { BothTrees } from './look-both.ts';

/** A directory that one side has renamed with everything in it. */
export interface MovedDir {
  /** The side that follows. */
  readonly on: Side;
  readonly from: string;
  readonly to: string;
  /** Its files. */
  readonly moves: readonly Moved[];
}

/**
 * The directories that can be renamed as a whole: all files below them were renamed alike, and the new directory does
 * not exist on the side that follows. Pure.
 */
export function movedDirs(
  moves: readonly Moved[],
  { files, dirs }: Pick<BothTrees, 'files' | 'dirs'>,
): MovedDir[] {
  const groups = Map.groupBy(moves, (move) => JSON.stringify([move.on, ...renamedDir(move)]));
  const found: MovedDir[] = [];
  for (const [key, group] of groups) {
    const [on, from, to] = JSON.parse(key) as [Side, string, string];
    const other = otherSide(on);
    if (group.length < 2 || from === '' || to === '') continue;
    if (isWithin(from, to) || isWithin(to, from)) continue;
    if (dirs[other].has(from) || files[other].has(from)) continue;
    if (dirs[on].has(to) || files[on].has(to)) continue;
    const moved = new Set(group.map((move) => move.from[on]?.path));
    if (!below(files[on], from).every((path) => moved.has(path))) continue;
    const isThere = (dir: string) => dirs[other].has(to + dir.slice(from.length));
    if (!below(dirs[on], from).every(isThere)) continue;
    found.push({ on, from, to, moves: group });
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

function below(paths: Iterable<string>, dir: string): string[] {
  return [...paths].filter((path) => isWithin(dir, path));
}
