import { isWithin } from '../core/remote-path.ts';
import { otherSide, type Side } from './decide-two-way.ts';
import type { BothTrees, FoundPath } from './look-both.ts';

/** A path that is a file on one side and a directory on the other. */
export interface TypeClash {
  readonly path: string;
  /** The side with the file. */
  readonly side: Side;
  readonly file: FoundPath;
  /** What is to be done below the directory. */
  readonly below: readonly FoundPath[];
  /**
   * What makes room: the file is deleted (its own side has it unchanged), it is renamed (both sides changed the path),
   * or what is below the directory is deleted.
   */
  readonly makesRoom: 'delete-file' | 'rename-file' | 'delete-dir';
}

/**
 * The paths that are a file on one side and a directory on the other, on remotes that cannot have both. The directory
 * keeps the name if anything below it is new or changed. Pure.
 */
export function typeClashes(trees: BothTrees): TypeClash[] {
  const clashes: TypeClash[] = [];
  for (const side of ['a', 'b'] as const) {
    for (const path of trees.files[side]) {
      if (!trees.dirs[otherSide(side)].has(path)) continue;
      const file = trees.todo.find((found) => found[side]?.path === path);
      if (file === undefined) continue;
      const below = trees.todo.filter(({ key }) => key !== path && isWithin(path, key));
      const hasContent = below.some(
        ({ decision }) => decision.action.do === 'copy' && decision.action.to === side,
      );
      const isOld = file.decision.action.do === 'delete';
      const makesRoom = isOld ? 'delete-file' : hasContent ? 'rename-file' : 'delete-dir';
      clashes.push({ path, side, file, below, makesRoom });
    }
  }
  return clashes;
}
