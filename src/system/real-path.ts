import { realpathSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import type { Remote } from '../core/remote.ts';

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
