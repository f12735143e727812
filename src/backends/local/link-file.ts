import fs from 'node:fs';
import type { FileEntry } from '../../core/remote.ts';
import { fsError, isFsError } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import type { LocalDisk } from './local-disk.ts';
import { refuseLinkedParent } from './local-entry.ts';
import { withParents } from './partial-file.ts';

/** See `Capabilities.linkFrom`: a hard link. `false` for links, across file systems and where there are none. */
export function linkFile(from: LocalDisk, file: FileEntry, to: LocalDisk, path: string): boolean {
  const [source, target] = [from.pathOf(file.path), to.pathOf(path)];
  try {
    refuseLinkedParent(from, source);
    refuseLinkedParent(to, target);
    if (from.isLink(file.path) || !fs.lstatSync(fsPath(source)).isFile()) return false;
    to.sweeper.changing();
    withParents(target, () => fs.linkSync(fsPath(source), fsPath(target)));
    return true;
  } catch (thrown) {
    if (isFsError(thrown, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS')) return false;
    throw fsError(thrown, 'link', target);
  }
}
