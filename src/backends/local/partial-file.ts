import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import { OWN_NAMES } from '../../core/own-names.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';

/** Calls `make`, which creates the file at a temporary path; creates a missing directory first. */
export function withParents<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    if (!isFsError(thrown, 'ENOENT')) throw thrown;
    makeDirs(parentOf(path));
    return make();
  }
}

/** The directory of an absolute path. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/**
 * Creates a directory with its parents. Throws `not-a-directory` if a file is in the way. Node's recursive `mkdir`
 * reports `ENOENT` for a read-only disk and never ends in `/proc`.
 */
export function makeDirs(path: string): void {
  if (madeDir(path)) return;
  makeDirs(parentOf(path));
  if (!madeDir(path)) throw fsError(missing(), 'mkdir', path);
}

/** Creates one directory; `false` if its parent is missing. */
function madeDir(path: string): boolean {
  try {
    // What is kept there may have been in a directory that others cannot read.
    const isTrash = path.endsWith(`/${OWN_NAMES.trash}`);
    fs.mkdirSync(fsPath(path), isTrash ? 0o700 : undefined);
  } catch (thrown) {
    if (isFsError(thrown, 'ENOENT') && parentOf(path) !== path) return false;
    if (!isFsError(thrown, 'EEXIST')) throw fsError(thrown, 'mkdir', path);
    // A link without a target exists, but is no directory.
    const there = fs.statSync(fsPath(path), { throwIfNoEntry: false });
    if (there?.isDirectory() !== true) throw inTheWay(path, thrown);
  }
  return true;
}

function missing(): NodeJS.ErrnoException {
  return Object.assign(new Error('no such file or directory'), { code: 'ENOENT' });
}

function inTheWay(path: string, cause: unknown): SyncerError {
  return new SyncerError('not-a-directory', `mkdir ${showPath(path)}: not a directory`, {
    path,
    cause,
  });
}

/** Deletes a temporary file; if that fails, it is left to `cleanUp`. */
export function discard(path: string): void {
  try {
    fs.unlinkSync(fsPath(path));
  } catch {
    // The error that led here is the one to report.
  }
}
