import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash-names.ts';
import type { FileEntry, Op, WriteSource } from '../../core/remote.ts';
import { fsPath } from '../../system/fs-path.ts';
import { assertReplaces } from './assert-replaces.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { fileEntry, refuseLinkedParent } from './local-entry.ts';
import { writeMetadata } from './metadata.ts';
import { giveMode, giveTo, refuseDevice, replacedFile } from './replaced-file.ts';

/** A file under its temporary name, and its final name. */
export interface PartialFile {
  readonly path: string;
  readonly target: string;
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
    const replaced = disk.isLink(path) ? undefined : replacedFile(partial.target, keepsLinks(disk));
    if (replaced !== undefined && replaced.mode !== disk.fileMode) {
      giveMode(partial.path, replaced.mode);
    }
    if (!disk.isLink(path)) isThere = replaced !== undefined;
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
function keepsLinks({ settings }: LocalDisk): boolean {
  return settings.links === 'translate';
}

/** The path to write. A link there is replaced by the file, also where links are followed: its target stays. */
export function targetOf(disk: LocalDisk, path: string): string {
  const native = disk.pathOf(path);
  refuseLinkedParent(disk, native);
  return native;
}

function isDirectory(path: string): SyncerError {
  return new SyncerError('not-a-file', `open ${showPath(path)}: the destination is a directory`, {
    path,
    advice: 'delete the directory, or exclude the file with --exclude',
  });
}

/** An entry with hashes, if there are any. */
export function withHashes(entry: FileEntry, hashes: Hashes): FileEntry {
  return Object.keys(hashes).length === 0 ? entry : { ...entry, hashes };
}
