import { SyncerError } from '../../../core/errors.ts';
import type { FileEntry, Op } from '../../../core/remote.ts';
import { leafName, parentPath } from '../../../core/remote-path.ts';
import type { DriveStore } from '../drive-store.ts';
import { onlyIfSame } from '../items/compare-content.ts';
import { contentOf, isSameId } from '../items/graph-item.ts';

import { selfOf, tellFile } from '../items/tell-entry.ts';
import { giveBack, inPlaceOf } from './in-place-of.ts';
import { renameItem } from './rename-item.ts';

/** Moves a file within its drive; `undefined` if the target is on another one. */
export async function moveFile(
  from: DriveStore,
  to: DriveStore,
  file: FileEntry,
  path: string,
  op: Op,
): Promise<FileEntry | undefined> {
  op.signal.throwIfAborted();
  const target = to.toService(path);
  const { address, isShortcut } = await selfOf(from, file, op);
  const folder = await to.directories.ensureWithId(parentPath(target), op);
  if (!isSameId(address.driveId, folder.driveId)) return undefined;
  const place = { folder, name: leafName(target), about: file.path };
  const keep = file.modTime === undefined ? {} : { modTime: file.modTime };
  const put = (inner: Op) => {
    const rename = (headers: Readonly<Record<string, string>>) =>
      renameItem(to, address, place, inner, { headers, ...keep });
    return isShortcut ? rename({}) : onlyIfSame(from, file, inner, rename);
  };
  await giveBack(to, path, op);
  const item = await inPlaceOf(to, path, op, { id: address.id, put });
  from.directories.forget(from.toService(file.path));
  if (item.remoteItem !== undefined) to.directories.learn(target, item, address.driveId);
  return tellFile(to, item, path, op);
}

/**
 * Renames a directory within its drive; `false` if the target is on another one. Rejects with `already-exists`,
 * `directory-not-found`, `not-a-directory`.
 */
export async function moveDir(
  from: DriveStore,
  to: DriveStore,
  dir: string,
  path: string,
  op: Op,
): Promise<boolean> {
  const [source, target] = [from.toService(dir), to.toService(path)];
  if (source === '' || target === '') return false;
  const item = await from.directories.look(source, op);
  if (item === undefined) {
    throw new SyncerError('directory-not-found', 'directory not found', { path: dir });
  }
  if (contentOf(item).folder === undefined) {
    throw new SyncerError('not-a-directory', `cannot move ${from.told(dir)}: it is a file`, {
      path: dir,
    });
  }
  // By its id: if a response is lost, the path no longer exists on the retry. Of a known shortcut the item is its target.
  const { driveId } = await from.directories.locateSelf(source, op);
  const shortcut = from.directories.shortcutAt(source);
  const self = { ...(shortcut ?? { driveId, id: item.id ?? '' }), rest: '' };
  const folder = await to.directories.ensureWithId(parentPath(target), op);
  if (!isSameId(self.driveId, folder.driveId)) return false;
  const place = { folder, name: leafName(target), about: from.told(dir) };
  const times = shortcut === undefined ? item.fileSystemInfo : undefined;
  // Whatever the outcome, what was known of these paths is no longer reliable.
  from.directories.forget(source);
  to.directories.forget(target);
  const moved = await renameItem(to, self, place, op, times === undefined ? {} : { times });
  to.directories.learn(target, moved, self.driveId);
  return true;
}
