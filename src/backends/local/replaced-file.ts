import fs from 'node:fs';
import { SyncerError } from '../../core/errors.ts';
import type { Op } from '../../core/remote.ts';
import { fsPath } from '../../system/fs-path.ts';
import { showPath } from './fs-error.ts';

/** What a new file inherits from the one it replaces, as if that had been overwritten. */
export interface ReplacedFile {
  /** Permissions, without set-user-ID and the like. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/**
 * The file at `target`, if any. Throws as `fs` does, and `not-a-file` (see `refuseDevice`).
 *
 * @param keepsLinks links are files of their own
 */
export function replacedFile(target: string, keepsLinks: boolean): ReplacedFile | undefined {
  const stats = fs.lstatSync(fsPath(target), { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  refuseDevice(target, stats, keepsLinks);
  if (!stats.isFile()) return undefined;
  return { mode: stats.mode & 0o777, uid: stats.uid, gid: stats.gid };
}

/**
 * Throws `not-a-file` for a pipe, socket or device, or a link to one: replacing `/dev/null` with a file breaks the
 * system.
 */
export function refuseDevice(target: string, stats: fs.Stats, keepsLinks: boolean): void {
  const isLink = stats.isSymbolicLink();
  if (isLink && keepsLinks) return;
  const meant = isLink ? whatIsThere(target) : stats;
  if (meant === undefined || meant.isFile() || meant.isDirectory()) return;
  throw new SyncerError('not-a-file', `open ${showPath(target)}: is a pipe, socket or device`, {
    path: target,
    advice: 'choose another name, or delete it first',
  });
}

/** `undefined` for a link without a target. */
function whatIsThere(target: string): fs.Stats | undefined {
  try {
    return fs.statSync(fsPath(target));
  } catch {
    return undefined;
  }
}

/**
 * The mode with which to create the file that will get a name, before the umask: only users who may read the file it
 * replaces may read it. So it rarely has to be changed later.
 *
 * @param isPrivate it gets its permissions later
 */
export function firstMode(target: string, isPrivate: boolean, { change }: Op): number {
  if (isPrivate) return 0o600;
  if (change?.replaces === 'nothing') return 0o666;
  try {
    return 0o600 | (0o666 & (replacedFile(target, true)?.mode ?? 0o666));
  } catch {
    // An error of the path is reported by the final rename.
    return 0o600;
  }
}

/** Sets the permissions of a new file, if the disk can: what was copied does not fail for them. */
export function giveMode(native: string, mode: number): void {
  try {
    fs.chmodSync(fsPath(native), mode);
  } catch {
    // The content counts more.
  }
}

/** Gives a file, or a link itself, an owner if permitted. */
export function giveTo(native: string, { uid, gid }: Pick<ReplacedFile, 'uid' | 'gid'>): void {
  try {
    fs.lchownSync(fsPath(native), uid, gid);
  } catch {
    // Only root may change owners: this file belongs to its writer.
  }
}
