import type { FileEntry, Op } from '../../../core/remote.ts';
import { leafName, parentPath } from '../../../core/remote-path.ts';
import type { DriveStore } from '../drive-store.ts';
import { onlyIfSame } from '../items/compare-content.ts';
import { isSameDrive } from '../items/same-item.ts';
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
  if (!isSameDrive(address.driveId, folder.driveId)) return undefined;
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
