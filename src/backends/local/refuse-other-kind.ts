import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import type { LocalDisk } from './local-disk.ts';
import { parentOf } from './partial-file.ts';

/**
 * Throws `file-not-found` for a link instead of a file, or the reverse. With translated links, `a` and `a.rclonelink`
 * have one name on disk.
 */
export function refuseOtherKind(disk: LocalDisk, path: string, native: string): void {
  if (disk.settings.links !== 'translate') return;
  const isLink = isSymbolicLink(native);
  if (isLink === undefined || isLink === disk.isLink(path)) return;
  const was = isLink ? 'file' : 'symbolic link';
  throw new SyncerError('file-not-found', `${showPath(native)} is no longer a ${was}`, { path });
}

/**
 * Throws `not-a-directory` if a path leads through a symbolic link below the root, unless links are followed: its
 * target was not listed, may be outside the root, and may be changed twice.
 */
export function refuseLinkedParent(disk: LocalDisk, native: string): void {
  refuseLinkedDir(disk, parentOf(native));
}

/** As `refuseLinkedParent`, for a directory: it may not be a link itself either. */
export function refuseLinkedDir(disk: LocalDisk, native: string): void {
  const { links, root } = disk.settings;
  if (links === 'follow') return;
  const real: string[] = [];
  for (let dir = native; dir.length > root.length; dir = parentOf(dir)) {
    if (disk.realDirs.has(dir)) break;
    const stats = lookAt(dir);
    if (stats?.isSymbolicLink() === true) throw linkInTheWay(disk, dir);
    if (stats?.isDirectory() === true) real.push(dir);
  }
  for (const dir of real) disk.realDirs.add(dir);
}

function linkInTheWay({ settings }: LocalDisk, dir: string): SyncerError {
  const advice =
    settings.links === 'translate'
      ? 'remove the link'
      : 'to change its target use -L (--copy-links), otherwise delete the link';
  return new SyncerError('not-a-directory', `${showPath(dir)} is a symbolic link`, {
    path: dir,
    advice,
  });
}

/** See `Capabilities.unlistedAt`. */
export function unlistedAt(disk: LocalDisk, path: string): string | undefined {
  const stats = lookAt(disk.pathOf(path));
  if (stats === undefined || stats.isDirectory()) return undefined;
  const { links } = disk.settings;
  if (stats.isSymbolicLink()) {
    return links === 'follow' || disk.isLink(path) ? undefined : 'a symbolic link';
  }
  if (!stats.isFile()) return 'a pipe, socket or device';
  return disk.isLink(path) ? 'a file' : undefined;
}

function isSymbolicLink(native: string): boolean | undefined {
  return lookAt(native)?.isSymbolicLink();
}

/** `undefined` if nothing exists or can exist. */
function lookAt(native: string): fs.Stats | undefined {
  try {
    return fs.lstatSync(fsPath(native), { throwIfNoEntry: false });
  } catch (thrown) {
    if (isFsError(thrown, 'ENOTDIR', 'ENAMETOOLONG')) return undefined;
    throw fsError(thrown, 'lstat', native);
  }
}
