import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { leafName } from '../../core/remote-path.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';

/**
 * Files are written under a temporary name beside their final one and renamed when complete. What a crash
 * leaves is known by this name: it is never listed, `cleanUp` removes it, and `removeDir` does not count it once
 * it is old.
 */
const PARTIAL = /^\..*\.syncer-partial-[0-9a-f]{12}$/s;

/** How much of the final name, in bytes, the temporary one shows; the whole must fit into 255. */
const SHOWN_BYTES = 100;

/** Whether a name on the disk is that of a file being written. */
export function isPartialName(name: string): boolean {
  return name.startsWith('.') && PARTIAL.test(name);
}

/** A new temporary name beside `target`. */
export function partialPath(target: string): string {
  const leaf = leafName(target);
  const dir = target.slice(0, target.length - leaf.length);
  return `${dir}.${shorten(leaf)}.syncer-partial-${randomBytes(6).toString('hex')}`;
}

/** Calls `make`, which makes the file at a temporary path; makes the directory first where that is missing. */
export function withParents<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (thrown) {
    if (!isFsError(thrown, 'ENOENT')) throw thrown;
    makeDirs(parentOf(path));
    return make();
  }
}

/** The directory an absolute path lies in. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}

/** Makes a directory with its parents. Throws `not-a-directory` where a file stands in the way. */
export function makeDirs(path: string): void {
  try {
    fs.mkdirSync(fsPath(path), { recursive: true });
  } catch (thrown) {
    if (isFsError(thrown, 'ENOENT')) {
      makeEachDir(path);
      return;
    }
    if (!isFsError(thrown, 'EEXIST')) throw fsError(thrown, 'mkdir', path);
    throw new SyncerError('not-a-directory', `mkdir ${showPath(path)}: not a directory`, {
      path,
      cause: thrown,
    });
  }
}

/**
 * Makes a directory and its parents one after another. Node's recursive `mkdir` says `ENOENT` of a disk that is
 * read-only; this way the reason comes out.
 */
function makeEachDir(path: string): void {
  const parent = parentOf(path);
  if (parent !== path && !fs.existsSync(fsPath(parent))) makeEachDir(parent);
  try {
    fs.mkdirSync(fsPath(path));
  } catch (thrown) {
    if (!isFsError(thrown, 'EEXIST')) throw fsError(thrown, 'mkdir', path);
  }
}

/** Removes a temporary file; what cannot be removed is left to `cleanUp`. */
export function discard(path: string): void {
  try {
    fs.unlinkSync(fsPath(path));
  } catch {
    // The error that led here is the one to tell.
  }
}

function shorten(leaf: string): string {
  let short = leaf;
  while (nameToBytes(short).length > SHOWN_BYTES) short = short.slice(0, -1);
  return endsWhole(short) ? short : short.slice(0, -1);
}

/** Whether a cut name does not end in half a character. */
function endsWhole(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last < 0xd800 || last > 0xdbff;
}
