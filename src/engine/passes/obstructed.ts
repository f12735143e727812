import { hasCode, toSyncerError } from '../../core/errors.ts';
import { foldPath, parentPath } from '../../core/remote-path.ts';
import type { DirPair, Transfer } from '../action.ts';
import type { FileWork } from '../file-work.ts';
import type { Pass } from '../pass.ts';
import { failTransfer } from '../transfer-queue.ts';

/** The extra entries of the destination, when both sides are listed. */
export interface Extra {
  readonly files: Iterable<{ readonly path: string }>;
  readonly dirs: Iterable<string>;
}

/** A transfer or a new directory that could not be put at its path of the destination, and why. */
interface Obstruction {
  readonly item: { readonly file: Transfer } | { readonly dir: DirPair };
  readonly path: string;
  readonly error: unknown;
}

/**
 * Transfers and new directories that wait until extra files are deleted. They are blocked by a name of the other kind: a
 * directory instead of the file, or a file instead of a directory of its path. The deletions of a sync make room for
 * them; rclone 1.60.1 fails without `--delete-before`.
 */
export class ObstructedWork implements Pass {
  readonly #found: Obstruction[] = [];

  /** Whether the error may be that, and the transfer is kept; any other error is the caller's. */
  takes(transfer: Transfer, error: unknown): boolean {
    return this.#take({ item: { file: transfer }, path: transfer.path, error });
  }

  /** The same for a directory to create. */
  readonly takesDir = (pair: DirPair, path: string, error: unknown): boolean =>
    this.#take({ item: { dir: pair }, path, error });

  #take(one: Obstruction): boolean {
    const mayBe = hasCode(one.error, 'not-a-file', 'not-a-directory', 'already-exists');
    if (mayBe) this.#found.push({ ...one, error: toSyncerError(one.error) });
    return mayBe;
  }

  /** The work to try again after the deletion; the rest has failed, and all of it if nothing is deleted. */
  clear(
    work: FileWork,
    extra: Extra,
  ): { readonly files: readonly Transfer[]; readonly dirs: readonly DirPair[] } {
    const { run, options, dest } = work;
    const found = this.#found.splice(0);
    if (found.length === 0) return { files: [], dirs: [] };
    const { linkSuffix } = dest.traits;
    // A symbolic link has the name of its target, and case may be ignored.
    const isInTheWay = inTheWay(extra, (path) => {
      const isLink = linkSuffix !== undefined && path.endsWith(linkSuffix);
      return foldPath(dest, isLink ? path.slice(0, -linkSuffix.length) : path);
    });
    const fail = ({ item, path, error }: Obstruction) =>
      'file' in item
        ? failTransfer(work, item.file, error)
        : run.fail(error, path, 'make-directory');
    const hopeful: Obstruction[] = [];
    for (const one of found)
      if (isInTheWay(one.path)) hopeful.push(one);
      else fail(one);
    const isDeleting = run.tally.count === 0 || options.ignoreErrors;
    if (!isDeleting) for (const one of hopeful) fail(one);
    const again = isDeleting ? hopeful.map(({ item }) => item) : [];
    return {
      files: again.flatMap((item) => ('file' in item ? item.file : [])),
      dirs: again.flatMap((item) => ('dir' in item ? item.dir : [])),
    };
  }
}

/**
 * Whether the deletion of extra entries makes room for a path.
 *
 * @param placeOf the place of a path at the destination: two entries of one place cannot both exist
 */
export function inTheWay(
  extra: Extra,
  placeOf: (path: string) => string,
): (path: string) => boolean {
  const dirs = new Set<string>();
  for (const path of extra.dirs) dirs.add(placeOf(path));
  const files = new Set<string>();
  for (const { path } of extra.files) files.add(placeOf(path));
  return (path) => {
    const place = placeOf(path);
    for (let at = place; at !== ''; at = parentPath(at)) if (files.has(at)) return true;
    return dirs.has(place);
  };
}
