import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import type { LocalDisk } from './local-disk.ts';
import { fileEntry } from './local-entry.ts';

/**
 * Throws `precondition-failed` if something else than `ChangeDetails.replacesOnly` is at `target`. To be called
 * immediately before the rename: what is written in between is replaced unseen.
 */
export function assertReplaces(
  disk: LocalDisk,
  target: string,
  { change }: Pick<Op, 'change'>,
): void {
  const only = change?.replacesOnly;
  if (only === undefined) return;
  const { timeType } = disk.settings;
  const found = fs.lstatSync(fsPath(target), { bigint: true, throwIfNoEntry: false });
  // No rename replaces it, and its error says so.
  if (found?.isDirectory() === true) return;
  if (found === undefined && only.file === 'nothing') return;
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

function changed(path: string): SyncerError {
  const text = `${showPath(path)} changed during the transfer; left as it is`;
  return new SyncerError('precondition-failed', text, { path });
}
