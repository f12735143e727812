import { isWithin } from '../core/remote-path.ts';
import { otherSide, type Side } from './decide-two-way.ts';
import type { BothTrees, FoundPath } from './look-both.ts';
import { linkPlace } from './unlisted.ts';

/** A name that is a file on one side, and on the other a directory, or a link that is shown as a file. */
export interface TypeClash {
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
export function typeClashes(
  trees: Pick<BothTrees, 'todo' | 'files' | 'dirs'>,
  suffixes: Readonly<Record<Side, string | undefined>> = { a: undefined, b: undefined },
): TypeClash[] {
  const clashes: TypeClash[] = [];
  for (const side of ['a', 'b'] as const) {
    const other = otherSide(side);
    for (const path of trees.files[side]) {
      const place = linkPlace(path, suffixes[other]);
      const isDir = trees.dirs[other].has(place);
      if (!isDir && (place === path || !trees.files[other].has(place))) continue;
      const file = trees.todo.find((found) => found[side]?.path === path);
      if (file === undefined) continue;
      if (isDir) clashes.push(withDir(trees, { path: place, side, file }));
      else {
        const plain = trees.todo.find((found) => found[other]?.path === place);
        if (plain !== undefined) clashes.push(withFile({ path: place, side, file }, plain));
      }
    }
  }
  return clashes;
}

/** A name that one side has as a file and as a directory (a bucket can), and what cannot be copied for it. */
export interface DoubleName {
  readonly path: string;
  /** The side that has both. */
  readonly side: Side;
  readonly blocked: readonly FoundPath[];
}

/** The names that a side has as a file and as a directory, which the other one can only have as one of them. Pure. */
export function doubleNames(
  { todo, files, dirs }: Pick<BothTrees, 'todo' | 'files' | 'dirs'>,
  canHaveBoth: Readonly<Record<Side, boolean>>,
): DoubleName[] {
  return (['a', 'b'] as const).flatMap((side) => {
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

type Found = Pick<TypeClash, 'path' | 'side' | 'file'>;

function isDeleted({ decision }: FoundPath): boolean {
  return decision.action.do === 'delete';
}

function withDir({ todo }: Pick<BothTrees, 'todo'>, clash: Found): TypeClash {
  const { path, side, file } = clash;
  const below = todo.filter((found) => found !== file && isWithin(path, found.key));
  const hasContent = below.some(
    ({ decision }) => decision.action.do === 'copy' && decision.action.to === side,
  );
  const makesRoom = isDeleted(file) ? 'delete-file' : hasContent ? 'rename-file' : 'delete-dir';
  return { ...clash, below, makesRoom };
}

/** A link, and a file of its name on the other side. */
function withFile(link: Found, plain: FoundPath): TypeClash {
  if (isDeleted(link.file)) return { ...link, makesRoom: 'delete-file' };
  const file: Found = { path: link.path, side: otherSide(link.side), file: plain };
  return { ...file, makesRoom: isDeleted(plain) ? 'delete-file' : 'rename-file' };
}
