import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import type { FileEntry, Op } from '../../core/remote.ts';
import { isWithin, leafName } from '../../core/remote-path.ts';
import { shortName } from '../../names/partial-name.ts';
import { fsPath, joinNative } from '../../system/fs-path.ts';
import { assertReplaces, refuseDirectory, renameOver } from './commit-partial.ts';
import { refuseForeign } from './delete-dir.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { fileEntry, lstat, parentOf, refuseLinkedParent, refuseOtherKind } from './local-entry.ts';
import { namesIn, withParents } from './partial-file.ts';

/**
 * Renames a file between local remotes. `undefined` across file systems and if links are followed. Throws
 * `already-exists` if both paths are one name of one file, by two mounts: a copy would be deleted with it.
 */
export function moveFile(from: LocalDisk, file: FileEntry, to: LocalDisk, path: string, op: Op) {
  const source = from.pathOf(file.path);
  const target = to.pathOf(path);
  try {
    refuseOtherKind(from, file.path, source);
    if (from.isLink(file.path) !== to.isLink(path)) return undefined;
    refuseLinkedParent(from, source);
    refuseLinkedParent(to, target);
    const stats = fs.lstatSync(fsPath(source), { bigint: true });
    if (stats.isSymbolicLink() && !from.isLink(file.path)) return undefined;
    if (stats.isDirectory()) {
      const message = `rename ${showPath(source)}: is a directory`;
      throw new SyncerError('not-a-file', message, { path: source });
    }
    refuseDirectory(to, target);
    from.sweeper.changing();
    to.sweeper.changing();
    withParents(target, () => {
      if (isItself(to, source, target)) return renameInCase(source, target);
      assertReplaces(to, target, op);
      renameOver(source, target);
      if (stats.nlink > 1n) deleteOldName(source, target, stats);
    });
    return fileEntry(path, stats, to.settings.timeType);
  } catch (thrown) {
    if (isFsError(thrown, 'EXDEV')) {
      if (!isOneName(source, target, lstat(source))) return undefined;
      const message = `${renaming(source)} ${showPath(target)}: they are the same file`;
      throw new SyncerError('already-exists', message, { path: target });
    }
    throw fsError(thrown, renaming(source), target);
  }
}

/**
 * Renames a directory between local remotes. `false` across file systems, and if names would change. Rejects with
 * `not-empty` if another file system is mounted in it that `--one-file-system` leaves alone.
 */
export async function moveDir(
  from: LocalDisk,
  dir: string,
  to: LocalDisk,
  path: string,
  op: Op,
): Promise<boolean> {
  const source = from.dirPathOf(dir);
  const target = to.dirPathOf(path);
  const [a, b] = [from.settings, to.settings];
  const areNamesSame =
    a.links === b.links && String(a.encoding.suspicious) === String(b.encoding.suspicious);
  if (!areNamesSame || isWithin(source, target)) return false;
  try {
    refuseLinkedParent(from, source);
    refuseLinkedParent(to, target);
    await refuseForeign(from, source, 'rename', op);
    const stats = fs.lstatSync(fsPath(source), { bigint: true });
    if (stats.isSymbolicLink()) return false;
    if (!stats.isDirectory()) {
      const message = `rename ${showPath(source)}: not a directory`;
      throw new SyncerError('not-a-directory', message, { path: source });
    }
    const there = fs.lstatSync(fsPath(target), { bigint: true, throwIfNoEntry: false });
    // On a disk without regard to case, the directory itself has its new name.
    const isNewCase = isItself(to, source, target);
    if (there !== undefined && !isNewCase && !isInode(there, stats)) {
      const message = `rename ${showPath(target)}: directory already exists`;
      throw new SyncerError('already-exists', message, { path: target });
    }
    for (const disk of [from, to]) disk.unlinkedDirs.clear();
    withParents(target, () =>
      isNewCase ? renameInCase(source, target) : fs.renameSync(fsPath(source), fsPath(target)),
    );
    for (const [first, now] of from.writing) {
      if (isWithin(source, now)) from.writing.set(first, target + now.slice(source.length));
    }
    return true;
  } catch (thrown) {
    if (isFsError(thrown, 'EXDEV')) return false;
    throw fsError(thrown, renaming(source), target, { missing: 'directory-not-found' });
  }
}

/** Whether what is at a path has the other one, too, which is another spelling of its name. */
function isItself(disk: LocalDisk, path: string, other: string): boolean {
  const [dir, name] = [parentOf(path), leafName(path)];
  return (
    path !== other &&
    disk.naming.isOnePath(dir, parentOf(other)) &&
    disk.naming.areOne(dir, name, leafName(other), false)
  );
}

/** Renames to another spelling of the same name, by a third one where Linux would do nothing: one inode has both. */
function renameInCase(from: string, to: string): void {
  fs.renameSync(fsPath(from), fsPath(to));
  const dir = parentOf(to);
  const names = namesIn(dir);
  if (names.includes(leafName(to)) || !names.includes(leafName(from))) return;
  let between = joinNative(dir, `syncer-renames-${shortName(leafName(to))}`);
  while (fs.existsSync(fsPath(between))) between += '-';
  fs.renameSync(fsPath(from), fsPath(between));
  try {
    fs.renameSync(fsPath(between), fsPath(to));
  } catch (thrown) {
    fs.renameSync(fsPath(between), fsPath(from));
    throw thrown;
  }
}

/**
 * Deletes the old name of a file if the new one was a second name of it (a hard link): rename(2) does nothing then, and
 * succeeds. What is only another path to the new name stays.
 */
function deleteOldName(source: string, target: string, moved: fs.BigIntStats): void {
  if (!isInode(lstat(source), moved) || !isInode(lstat(target), moved)) return;
  if (!isOneName(source, target, moved)) fs.unlinkSync(fsPath(source));
}

/**
 * Whether two paths of one file are the same name in the same directory, which may have several paths (links, mounts), and
 * take two spellings for one name. What cannot be found out counts as the same.
 */
function isOneName(path: string, other: string, file: fs.BigIntStats | undefined): boolean {
  if (file === undefined || !isInode(lstat(other), file)) return false;
  const [dir, otherDir] = [path, other].map((each) =>
    fs.statSync(fsPath(parentOf(each)), { bigint: true, throwIfNoEntry: false }),
  );
  if (dir === undefined || otherDir === undefined) return true;
  if (!isInode(dir, otherDir)) return false;
  if (leafName(path) === leafName(other)) return true;
  const names = namesIn(parentOf(path));
  return !(names.includes(leafName(path)) && names.includes(leafName(other)));
}

const isInode = (found: fs.BigIntStats | undefined, file: fs.BigIntStats): boolean =>
  found?.ino === file.ino && found.dev === file.dev;

/** Either path may be the cause, so messages name both. */
const renaming = (source: string): string => `rename ${showPath(source)} to`;
