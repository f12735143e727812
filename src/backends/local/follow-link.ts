import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import { fsError } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import type { LocalDisk } from './local-disk.ts';
import { parentOf } from './partial-file.ts';

/**
 * What a symbolic link in a listing leads to. Throws `unreadable` where it leads nowhere, or back to a
 * directory that its own path goes through: following that would never end.
 */
export function followLink(disk: LocalDisk, native: string): fs.BigIntStats {
  let stats: fs.BigIntStats;
  try {
    stats = fs.statSync(fsPath(native), { bigint: true });
  } catch (thrown) {
    const { message } = fsError(thrown, 'symlink: stat', native);
    throw new SyncerError('unreadable', message, { path: native, cause: thrown });
  }
  if (stats.isDirectory() && leadsBack(disk.settings.root, native, stats)) {
    throw new SyncerError('unreadable', `symlink: ${native}: leads back to a parent directory`, {
      path: native,
    });
  }
  return stats;
}

function leadsBack(root: string, native: string, target: fs.BigIntStats): boolean {
  let dir = native;
  do {
    dir = parentOf(dir);
    const stats = fs.statSync(fsPath(dir), { bigint: true });
    if (stats.ino === target.ino && stats.dev === target.dev) return true;
  } while (dir !== root && dir !== '/');
  return false;
}
