import fs from 'node:fs';
import type { DiskUsage } from '../../core/entry-details.ts';
import { SyncerError } from '../../core/errors.ts';
import type { Hashes } from '../../core/hash-names.ts';
import { splitModTime } from '../../core/mod-time.ts';
import type { DirEntry, Entry, FileEntry } from '../../core/remote.ts';
import { fsPath } from '../../system/fs-path.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import type { LocalSettings } from './local-settings.ts';
import type { TimeType } from './time-type.ts';

/** What is used of a `LocalDisk`. */
interface EntryDisk {
  readonly settings: Pick<LocalSettings, 'root' | 'links' | 'checkUpdated' | 'timeType'>;
  readonly unlinkedDirs: UnlinkedDirs;
  pathOf(path: string): string;
  isLink(path: string): boolean;
  isForeign(directory: Pick<fs.BigIntStats, 'dev'>): boolean;
}

/** The entry of a path; `undefined` for devices, sockets, pipes, and links that are not translated. */
export function entryOf(
  path: string,
  stats: fs.BigIntStats,
  timeType: TimeType,
): Entry | undefined {
  if (stats.isDirectory()) return dirEntry(path, stats, timeType);
  return stats.isFile() ? fileEntry(path, stats, timeType) : undefined;
}

/** The entry of a file. */
export function fileEntry(path: string, stats: FileAttributes, timeType: TimeType): FileEntry {
  return { kind: 'file', path, size: Number(stats.size), modTime: timeOf(stats, timeType) };
}

/** The entry of a directory. */
export function dirEntry(path: string, stats: FileAttributes, timeType: TimeType): DirEntry {
  return { kind: 'dir', path, modTime: timeOf(stats, timeType), size: Number(stats.size) };
}

/** What is used of the attributes of a file. */
export type FileAttributes = Pick<
  fs.BigIntStats,
  Times | 'size' | 'blocks' | 'dev' | 'ino' | 'nlink' | 'isDirectory' | 'isFile' | 'isSymbolicLink'
>;

type Times = `${'a' | 'birth' | 'c' | 'm'}timeNs`;

/** The time that counts as that of the last modification. */
function timeOf(stats: Pick<fs.BigIntStats, Times>, timeType: TimeType): bigint {
  return timeType === 'btime' ? stats.birthtimeNs : stats[`${timeType}Ns`];
}

/** An entry with hashes, if there are any. */
export function withHashes(entry: FileEntry, hashes: Hashes): FileEntry {
  return Object.keys(hashes).length === 0 ? entry : { ...entry, hashes };
}

/** What an entry takes on the disk. Blocks are counted in 512 bytes, whatever those of the file system are. */
export function diskUsage(stats: FileAttributes, isSpecial: boolean): DiskUsage {
  return {
    bytes: Number(stats.blocks) * 512,
    size: Number(stats.size),
    device: stats.dev,
    inode: BigInt.asUintN(64, stats.ino),
    isSpecial,
    links: stats.isDirectory() ? 1 : Number(stats.nlink),
  };
}

/** Advice about a file that changes while it is read. */
const CHANGED_ADVICE =
  'run the command again when no program writes to it, or use --local-no-check-updated';

/** Throws `source-changed` if a file differs from its listed entry. */
export function checkUnchanged(
  disk: EntryDisk,
  file: FileEntry,
  now: Pick<fs.BigIntStats, 'size' | Times>,
  doing: 'copy' | 'delete' = 'copy',
): void {
  const { checkUpdated, timeType } = disk.settings;
  if (!checkUpdated) return;
  const fail = (what: string, from: unknown, to: unknown) => {
    throw new SyncerError(
      'source-changed',
      `can't ${doing} - source file is being updated (${what} changed from ${from} to ${to})`,
      { path: file.path, advice: CHANGED_ADVICE },
    );
  };
  if (file.size >= 0 && BigInt(file.size) !== now.size) fail('size', file.size, now.size);
  // Reading a file changes its access time.
  if (file.modTime === undefined || timeType === 'atime') return;
  const time = timeOf(now, timeType);
  if (file.modTime !== time) fail('mod time', showTime(file.modTime), showTime(time));
}

/** Whether a listed size of 0 may have been wrong, as some file systems learn a size when a file is opened or read. */
export function hasLearnedSize(
  { settings: { checkUpdated, timeType } }: EntryDisk,
  { size, modTime }: FileEntry,
  now: Pick<fs.BigIntStats, 'size' | Times>,
): boolean {
  return size === 0 && now.size > 0n && (checkUpdated || modTime === timeOf(now, timeType));
}

/** How much of a file to take, in bytes: if changes are tolerated, the listed size of one that grows. */
export function sizeToTake(disk: EntryDisk, { size }: FileEntry, now: number): number {
  return disk.settings.checkUpdated || size < 0 ? now : Math.min(size, now);
}

function showTime(time: bigint): string {
  const { seconds, nanoseconds } = splitModTime(time);
  const date = new Date(seconds * 1000).toISOString().slice(0, 19);
  return `${date}.${String(nanoseconds).padStart(9, '0')}Z`;
}

/** Throws `file-not-found` for a link instead of a file, or the reverse: `a` and `a.rclonelink` share a name. */
export function refuseOtherKind(disk: EntryDisk, path: string, native: string): void {
  if (disk.settings.links !== 'translate') return;
  const isLink = lookAt(native)?.isSymbolicLink();
  if (isLink === undefined || isLink === disk.isLink(path)) return;
  const was = isLink ? 'file' : 'symbolic link';
  throw new SyncerError('file-not-found', `${showPath(native)} is no longer a ${was}`, { path });
}

/** The path to write. A link there is replaced by the file, also where links are followed: its target stays. */
export function targetOf(disk: EntryDisk, path: string): string {
  const native = disk.pathOf(path);
  refuseLinkedParent(disk, native);
  return native;
}

/** The directory of an absolute path. */
export const parentOf = (path: string): string => path.slice(0, Math.max(1, path.lastIndexOf('/')));

/**
 * Throws `not-a-directory` if a path leads through a symbolic link below the root, unless links are followed: its
 * target was not listed, may be outside the root, and may be changed twice.
 */
export function refuseLinkedParent(disk: EntryDisk, native: string): void {
  refuseLinkedDir(disk, parentOf(native));
}

/** As `refuseLinkedParent`, for a directory: it may not be a link itself either. */
export function refuseLinkedDir(disk: EntryDisk, native: string): void {
  const { links, root } = disk.settings;
  if (links === 'follow') return;
  const seen: string[] = [];
  for (let dir = native; dir.length > root.length; dir = parentOf(dir)) {
    if (disk.unlinkedDirs.has(dir)) break;
    const stats = lookAt(dir);
    if (stats?.isSymbolicLink() === true) {
      const advice =
        links === 'translate'
          ? 'remove the link'
          : 'to change its target use -L (--copy-links), otherwise delete the link';
      const message = `${showPath(dir)} is a symbolic link`;
      throw new SyncerError('not-a-directory', message, { path: dir, advice });
    }
    // Where links are written, one may come to where nothing is.
    if (stats === undefined ? links !== 'translate' : stats.isDirectory()) seen.push(dir);
  }
  for (const dir of seen) disk.unlinkedDirs.add(dir);
}

/** Directories that are no symbolic links, or not there yet, so that for a second not every file in them needs a check. */
export class UnlinkedDirs {
  readonly #clock: { monotonic(): number };
  readonly #known = new Set<string>();
  #since = 0;

  constructor(clock: { monotonic(): number }) {
    this.#clock = clock;
  }

  has(dir: string): boolean {
    if (this.#known.size === 0) return false;
    if (this.#clock.monotonic() - this.#since > 1000) this.clear();
    return this.#known.has(dir);
  }

  add(dir: string): void {
    if (this.#known.size >= 4096) this.clear();
    if (this.#known.size === 0) this.#since = this.#clock.monotonic();
    this.#known.add(dir);
  }

  clear(): void {
    this.#known.clear();
  }
}

/** See `Capabilities.unlistedAt`. */
export function unlistedAt(disk: EntryDisk, path: string): string | undefined {
  const native = disk.pathOf(path);
  const stats = lookAt(native);
  if (stats === undefined) return undefined;
  // Some file systems give a file another device number than its directory.
  const dir = lstat(stats.isDirectory() ? native : parentOf(native));
  const isForeign = dir !== undefined && disk.isForeign(dir);
  if (stats.isDirectory()) return isForeign ? 'a directory of another file system' : undefined;
  const { links } = disk.settings;
  if (stats.isSymbolicLink()) {
    return links === 'follow' || disk.isLink(path) ? undefined : 'a symbolic link';
  }
  if (!stats.isFile()) return 'a pipe, socket or device';
  if (isForeign) return 'a file of another file system';
  return disk.isLink(path) ? 'a file' : undefined;
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

/** What is at a path; `undefined` if nothing is, or that cannot be found out. */
export function lstat(path: string): fs.BigIntStats | undefined {
  try {
    return fs.lstatSync(fsPath(path), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The error for a file that has more content than its size says, as on some FUSE file systems. */
export function longerThanSize(native: string, size: number): SyncerError {
  const message = `can't copy - source file is being updated (it has more than the ${size} bytes of its size)`;
  const advice =
    'if no program writes to it, its file system reports a wrong size: copy it with cat and syncer rcat';
  return new SyncerError('source-changed', message, { path: native, advice });
}

/** The error for a file that became shorter while it was read. */
export function endedEarly(native: string): SyncerError {
  const message = `can't copy - source file is being updated (${showPath(native)} became shorter)`;
  return new SyncerError('source-changed', message, { path: native, advice: CHANGED_ADVICE });
}

/**
 * Whether a read that returns less than was asked for has reached the end of the file. It has on file systems that read
 * from pages of memory; others may read in steps, and only another read shows that there is no more.
 *
 * Threads run it from its text: it must use nothing from outside.
 */
export class WholeReads {
  /** ext2 to ext4, XFS, Btrfs, F2FS, tmpfs (linux/magic.h). */
  static readonly #TYPES = new Set([0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994]);
  /** Then it looks again: another file system may have got the number of one that is no longer mounted. */
  static readonly #MOST_FILES = 1024;
  readonly #fs = process.getBuiltinModule('node:fs');
  #device: number | bigint = -1;
  #areAll = false;
  #left = 0;

  /** @param device the number of the device of the open file `fd`, always in the same form */
  areAll(device: number | bigint, fd: number): boolean {
    if (device !== this.#device || --this.#left < 0) {
      this.#left = WholeReads.#MOST_FILES;
      this.#device = device;
      try {
        this.#areAll = WholeReads.#TYPES.has(this.#fs.statfsSync(`/proc/self/fd/${fd}`).type);
      } catch {
        this.#areAll = false;
      }
    }
    return this.#areAll;
  }
}
