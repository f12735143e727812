import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import { refuseLinkedParent } from './link-in-the-way.ts';
import type { LocalDisk } from './local-disk.ts';
import { removeStalePartials } from './remove-partials.ts';

/** Removes an empty directory; where links are followed, also a link to one, which itself stays, as in rclone. */
export function removeDir(disk: LocalDisk, native: string): void {
  disk.sweeper.changing();
  refuseLinkedParent(disk, native);
  disk.realDirs.clear();
  try {
    if (disk.settings.links === 'follow' && leadsToDir(native)) unlinkEmpty(native);
    else fs.rmdirSync(fsPath(native));
  } catch (thrown) {
    if (!isFsError(thrown, 'ENOTEMPTY') || !removeStalePartials(native)) {
      throw fsError(thrown, 'remove', native, { missing: 'directory-not-found' });
    }
    removeDir(disk, native);
  }
}

function leadsToDir(native: string): boolean {
  const path = fsPath(native);
  return fs.lstatSync(path).isSymbolicLink() && fs.statSync(path).isDirectory();
}

function unlinkEmpty(native: string): void {
  const path = fsPath(native);
  const isEmpty = () => fs.readdirSync(path).length === 0;
  if (!isEmpty() && !(removeStalePartials(native) && isEmpty())) {
    const text = `remove ${showPath(native)}: the directory that it leads to is not empty`;
    throw new SyncerError('not-empty', text, { path: native });
  }
  fs.unlinkSync(path);
}
