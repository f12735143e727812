import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { leafName } from '../../core/remote-path.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';

/**
 * A file is written under a temporary name next to its own, with the mark of its process (`ownMark`) and a number,
 * and renamed when complete. Trial files (`src/sync/place/trial-file.ts`) have such a name without a leading dot.
 * Leftovers of a crash are never listed; the next run that changes something in their directory deletes them, and so
 * do `cleanUp` and `deleteDir`.
 */
const PARTIAL = /^(?:\..*\.)?syncer-partial-([0-9a-z]+-[0-9a-z]+-[0-9a-z]+)-[0-9a-z]+$/s;

/** How much of the final name, in bytes, the temporary one shows; the whole must fit into 255. */
const SHOWN_BYTES = 100;

/** Whether a name on disk is that of a file being written. */
export function isPartialName(name: string): boolean {
  return (name.startsWith('.') || name.startsWith('syncer-p')) && PARTIAL.test(name);
}

/** The process of a temporary file: see `ownerState`. `''` for any other name. */
export function markOf(name: string): string {
  return PARTIAL.exec(name)?.[1] ?? '';
}

/** The temporary name beside `target` with this mark and this number, which is of `0-9a-z`. */
export function partialPath(target: string, mark: string, number: string): string {
  const leaf = leafName(target);
  const dir = target.slice(0, target.length - leaf.length);
  return `${dir}.${shorten(leaf)}.syncer-partial-${mark}-${number}`;
}

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
    fs.mkdirSync(fsPath(path));
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

function shorten(leaf: string): string {
  // No unit of a string takes more than three bytes.
  if (leaf.length * 3 <= SHOWN_BYTES) return leaf;
  let short = leaf;
  while (nameToBytes(short).length > SHOWN_BYTES) short = short.slice(0, -1);
  return endsWhole(short) ? short : short.slice(0, -1);
}

function endsWhole(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last < 0xd800 || last > 0xdbff;
}
