import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { fsPath } from '../../system/fs-path.ts';
import { showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { fileEntry } from './local-entry.ts';

/**
 * Throws `precondition-failed` if something else than `ChangeDetails.replacesOnly` is at `target`, and `already-exists`
 * if a file is there that no listing showed, as its name is another spelling: the content of two files would be lost in
 * one. To be called immediately before the rename: what is written in between is replaced unseen.
 *
 * @param isThere whether a file was just seen at `target`; absent: it is looked up
 */
export function assertReplaces(
  disk: LocalDisk,
  target: string,
  { change }: Pick<Op, 'change'>,
  isThere?: boolean,
): void {
  const only = change?.replacesOnly;
  if (only === undefined) {
    if (typeof change?.replaces === 'object') return;
    const isNew = isThere === undefined ? !fs.lstatSync(fsPath(target), NO_THROW) : !isThere;
    if (!isNew) refuseOtherSpelling(disk, target);
    return;
  }
  const { timeType } = disk.settings;
  const found = fs.lstatSync(fsPath(target), { bigint: true, throwIfNoEntry: false });
  // No rename replaces it, and its error says so.
  if (found?.isDirectory() === true) return;
  if (found === undefined && only.file === 'nothing') return;
  if (only.file === 'nothing') refuseOtherSpelling(disk, target);
  const stats = found?.isSymbolicLink() ? disk.look(target) : found;
  if (stats === undefined || only.file === 'nothing') throw changed(target);
  const { size, modTime } = fileEntry('', stats, timeType);
  // A link in the trash changes the ctime of the file, a copy its atime.
  const isTimed = timeType === 'mtime' || timeType === 'btime';
  const isSame =
    (stats.isFile() || stats.isSymbolicLink()) &&
    (only.stamp === undefined || only.stamp.tag === String(stats.ino)) &&
    size === only.file.size &&
    (!isTimed || modTime === only.file.modTime);
  if (!isSame) throw changed(target);
}

const NO_THROW = { throwIfNoEntry: false } as const;

function refuseOtherSpelling({ naming }: LocalDisk, target: string): void {
  const found = naming.foundAs(target);
  if (found === undefined) return;
  const name = found === '' ? 'another one' : showPath(found);
  const text = `${showPath(target)} is not written: on this disk it is the same file as ${name}, which differs only in case or Unicode form; rename one of them`;
  throw new SyncerError('already-exists', text, { path: target });
}

function changed(path: string): SyncerError {
  const text = `${showPath(path)} changed during the transfer; left as it is`;
  return new SyncerError('precondition-failed', text, { path });
}
