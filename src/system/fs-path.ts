import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import type { Remote } from '../core/remote.ts';

/**
 * A path for Node's `fs`. Strings have lone surrogates for bytes that are not UTF-8, which Node would replace: such
 * paths are passed as bytes.
 */
export function fsPath(path: string): string | Buffer {
  return path.isWellFormed() ? path : nameToBytes(path);
}

/** A path for C functions: its bytes with a zero after them. */
export function cString(path: string): Buffer {
  return Buffer.concat([nameToBytes(path), Buffer.alloc(1)]);
}

/** The path of a name in an absolute directory. */
export function joinNative(dir: string, name: string): string {
  return dir.endsWith('/') ? dir + name : `${dir}/${name}`;
}

/** The path without symbolic links, also if nothing is there yet. */
export function realPath(path: string): string {
  try {
    return nameFromBytes(realpathSync.native(nameToBytes(path), 'buffer'));
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}

/** The path if something is there, or else the nearest directory above it that exists. */
export async function nearestExisting(path: string): Promise<string> {
  const isMissing = await stat(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT' || code === 'ENOTDIR',
  );
  return isMissing && dirname(path) !== path ? nearestExisting(dirname(path)) : path;
}

/** The root of a remote, absolute on disks. */
export function rootOf({ root, traits }: Pick<Remote, 'root' | 'traits'>): string {
  return traits.onDisk ? resolve(root) : root;
}
