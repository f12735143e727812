import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { fsError, showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import { refuseLinkedParent } from './link-in-the-way.ts';
import type { LocalDisk } from './local-disk.ts';
import { walkNative } from './walk-native.ts';

/** See `Capabilities.purge`. Never follows a symbolic link, not even one that stands at the path itself. */
export async function purge(disk: LocalDisk, dir: string, op: Op): Promise<void> {
  const native = disk.dirPathOf(dir);
  refuseLinkedParent(disk, native);
  disk.realDirs.clear();
  try {
    if (!fs.lstatSync(fsPath(native)).isDirectory()) {
      const message = `can't purge non directory: ${showPath(native)}`;
      throw new SyncerError('not-a-directory', message, { path: native });
    }
    await walkNative(native, disk.turns, op, {
      file: (path) => fs.unlinkSync(fsPath(path)),
      leaveDir: (path) => fs.rmdirSync(fsPath(path)),
    });
    fs.rmdirSync(fsPath(native));
  } catch (thrown) {
    op.signal.throwIfAborted();
    throw fsError(thrown, 'purge', pathIn(thrown) ?? native, { missing: 'directory-not-found' });
  }
}

/** The path an error of `fs` is about: deep in a tree it says more than that of the tree. */
function pathIn(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'path' in thrown && typeof thrown.path === 'string'
    ? thrown.path
    : undefined;
}
