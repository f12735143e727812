import { foldPath } from '../core/naming.ts';
import type { Remote } from '../core/remote.ts';
import type { Transfer } from './copy-job.ts';
import { failDir } from './empty-dirs.ts';
import type { FileWork } from './file-work.ts';
import { type Extra, Obstructed } from './obstructed.ts';
import { failTransfer } from './transfer-file.ts';
import type { DirPair } from './walk-both.ts';

/** Work that waits until extra files are deleted. */
export interface ObstructedWork {
  readonly files: Obstructed<Transfer>;
  readonly dirs: Obstructed<DirPair>;
}

/** Creates it empty. */
export function createObstructed(): ObstructedWork {
  return { files: new Obstructed(), dirs: new Obstructed() };
}

/** The work to try again after the deletion; the rest has failed, and all of it if nothing is deleted. */
export function release(
  work: FileWork,
  { files, dirs }: ObstructedWork,
  extra: Extra,
): { readonly files: readonly Transfer[]; readonly dirs: readonly DirPair[] } {
  const { run, options, dest } = work;
  const placeOf = placesOn(dest);
  const [file, dir] = [files.release(extra, placeOf), dirs.release(extra, placeOf)];
  for (const { item, error } of file.failed) failTransfer(work, item, error);
  for (const { path, error } of dir.failed) failDir(run, path, error);
  if (run.tally.count === 0 || options.ignoreErrors) {
    return {
      files: file.hopeful.map(({ item }) => item),
      dirs: dir.hopeful.map(({ item }) => item),
    };
  }
  for (const { item, error } of file.hopeful) failTransfer(work, item, error);
  for (const { path, error } of dir.hopeful) failDir(run, path, error);
  return { files: [], dirs: [] };
}

/** The place of a path: a symbolic link has the name of its target, and case may be ignored. */
function placesOn(dest: Remote): (path: string) => string {
  const { linkSuffix } = dest.traits;
  return (path) => {
    const isLink = linkSuffix !== undefined && path.endsWith(linkSuffix);
    const place = isLink ? path.slice(0, -linkSuffix.length) : path;
    return foldPath(dest, place);
  };
}
