import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash-names.ts';
import type { FileEntry, Op, WriteSource } from '../../core/remote.ts';
import { fsPath } from '../../system/fs-path.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { fileEntry, withHashes } from './local-entry.ts';
import { writeMetadata } from './metadata.ts';
import {
  firstMode,
  giveMode,
  giveTo,
  refuseDevice,
  replacedFile,
  withParents,
} from './partial-file.ts';

/** A file under its temporary name, and its final name. */
export interface PartialFile {
  readonly path: string;
  readonly target: string;
}

/** Opens a new file under its temporary name. */
export function openNew(
  { path, target }: PartialFile,
  { metadata }: Pick<WriteSource, 'metadata'>,
  op: Op,
): number {
  const mode = firstMode(target, metadata !== undefined, op);
  try {
    return withParents(path, () => fs.openSync(fsPath(path), 'wx+', mode));
  } catch (thrown) {
    throw fsError(thrown, 'open', target);
  }
}

/**
 * Gives a verified file its time, metadata and name. Throws `metadata` if some of it could not be set: before it has
 * its name, as in rclone, or with `metadataMayFail` afterwards; and `precondition-failed` as `assertReplaces`.
 *
 * @param size in bytes, if it is known how many were written
 */
export async function commitPartial(
  disk: LocalDisk,
  partial: PartialFile,
  source: Pick<WriteSource, 'path' | 'modTime' | 'metadata' | 'metadataMayFail'>,
  hashes: Hashes,
  op: Op,
  size?: number,
): Promise<FileEntry> {
  const { path, modTime, metadata } = source;
  const { timeType } = disk.settings;
  const keepsTime = disk.settings.setModTime || metadata?.['mtime'] !== undefined;
  const setsTime = keepsTime && modTime !== undefined;
  let failure: SyncerError | undefined;
  let isThere: boolean | undefined;
  if (metadata !== undefined) {
    const file = { path, native: partial.path, target: partial.target };
    failure = await writeMetadata(disk, file, metadata, setsTime ? modTime : undefined);
    if (failure !== undefined && source.metadataMayFail !== true) throw failure;
  } else {
    const setTimes = setsTime ? await disk.setTimes() : undefined;
    const isLink = disk.isLink(path);
    const replaced = isLink ? undefined : replacedFile(partial.target, keepsLinks(disk));
    if (!isLink) isThere = replaced !== undefined;
    if (replaced !== undefined && replaced.mode !== disk.fileMode) {
      giveMode(partial.path, replaced.mode);
    }
    if (modTime !== undefined) setTimes?.(partial.path, modTime);
    if (replaced !== undefined) giveTo(partial.path, replaced);
  }
  const entry: FileEntry =
    setsTime && size !== undefined && timeType === 'mtime'
      ? disk.keptTimes.written(path, partial.path, size, modTime)
      : fileEntry(path, fs.lstatSync(fsPath(partial.path), { bigint: true }), timeType);
  assertReplaces(disk, partial.target, op, isThere);
  renameOver(partial.path, partial.target);
  if (failure !== undefined) throw failure;
  return withHashes(entry, hashes);
}

/** Renames a file over the one at `to`; throws `not-a-file` if that is a directory. */
export function renameOver(from: string, to: string): void {
  try {
    fs.renameSync(fsPath(from), fsPath(to));
  } catch (thrown) {
    if (isFsError(thrown, 'EISDIR', 'ENOTEMPTY', 'EEXIST')) throw isDirectory(to);
    throw thrown;
  }
}

/** Throws `not-a-file` if `target` is a directory, or for what `refuseDevice` refuses. */
export function refuseDirectory(disk: LocalDisk, target: string): void {
  let stats: fs.Stats | undefined;
  try {
    stats = fs.lstatSync(fsPath(target), { throwIfNoEntry: false });
  } catch (thrown) {
    throw fsError(thrown, 'open', target);
  }
  if (stats?.isDirectory()) throw isDirectory(target);
  if (stats !== undefined) refuseDevice(target, stats, keepsLinks(disk));
}

/** Whether links are files of their own. */
const keepsLinks = ({ settings }: LocalDisk): boolean => settings.links === 'translate';

function isDirectory(path: string): SyncerError {
  return new SyncerError('not-a-file', `open ${showPath(path)}: the destination is a directory`, {
    path,
    advice: 'delete the directory, or exclude the file with --exclude',
  });
}

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
    if (isThere ?? fs.lstatSync(fsPath(target), { throwIfNoEntry: false }) !== undefined)
      refuseOtherSpelling(disk, target);
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
