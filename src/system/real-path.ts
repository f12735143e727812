import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';

/** The path without symbolic links, also if nothing is there yet. */
export function realPath(path: string): string {
  try {
    return nameFromBytes(realpathSync.native(nameToBytes(path), 'buffer'));
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(realPath(parent), basename(path));
  }
}
