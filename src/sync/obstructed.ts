import { hasCode, toSyncerError } from '../core/errors.ts';
import { parentPath } from '../core/remote-path.ts';

/** What the destination has too much of, when both sides are listed. */
export interface Surplus {
  readonly files: Iterable<{ readonly path: string }>;
  readonly dirs: Iterable<string>;
}

/** Something that could not be put at its place, and why. */
export interface Obstruction<T> {
  readonly item: T;
  /** Path at the destination. */
  readonly path: string;
  readonly error: unknown;
}

/**
 * Keeps what a name of the other kind stood in the way of: a directory where the file goes, or a file where a
 * directory of its path must be. What a sync deletes makes room for it; rclone 1.60.1 fails until `--delete-before`
 * is given.
 */
export class Obstructed<T> {
  readonly #found: Obstruction<T>[] = [];

  /** Whether it may be that, and is kept; any other error is the caller's. */
  take(item: T, path: string, error: unknown): boolean {
    const mayBe = hasCode(error, 'not-a-file', 'not-a-directory', 'already-exists');
    if (mayBe) this.#found.push({ item, path, error: toSyncerError(error) });
    return mayBe;
  }

  /**
   * Empties it: those that the end of the surplus makes room for, and those that something else is the matter with.
   *
   * @param placeOf where a path of the destination lies: two of one place cannot be there together
   */
  release(
    surplus: Surplus,
    placeOf: (path: string) => string,
  ): {
    readonly hopeful: readonly Obstruction<T>[];
    readonly failed: readonly Obstruction<T>[];
  } {
    const found = this.#found.splice(0);
    if (found.length === 0) return { hopeful: [], failed: [] };
    const dirs = new Set<string>();
    for (const path of surplus.dirs) dirs.add(placeOf(path));
    const files = new Set<string>();
    for (const { path } of surplus.files) files.add(placeOf(path));
    const isInTheWay = ({ path }: Obstruction<T>) => {
      const place = placeOf(path);
      return dirs.has(place) || hasAncestorIn(files, place);
    };
    return {
      hopeful: found.filter(isInTheWay),
      failed: found.filter((obstruction) => !isInTheWay(obstruction)),
    };
  }
}

/** Whether the path itself, or a directory that leads to it, is among the names. */
function hasAncestorIn(names: ReadonlySet<string>, path: string): boolean {
  for (let at = path; at !== ''; at = parentPath(at)) if (names.has(at)) return true;
  return false;
}
