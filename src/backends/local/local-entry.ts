import fs from 'node:fs';
import type { DiskUsage } from '../../core/disk-usage.ts';
import { SyncerError } from '../../core/errors.ts';
import type { DirEntry, Entry, FileEntry } from '../../core/remote.ts';
import { fsPath } from './fs-path.ts';
import type { LocalDisk } from './local-disk.ts';

/** The entry of a path; `undefined` for devices, sockets, pipes, and links that are not translated. */
export function entryOf(path: string, stats: fs.BigIntStats): Entry | undefined {
  if (stats.isDirectory()) return dirEntry(path, stats);
  return stats.isFile() ? fileEntry(path, stats) : undefined;
}

/** The entry of a file. */
export function fileEntry(path: string, stats: fs.BigIntStats): FileEntry {
  return { kind: 'file', path, size: Number(stats.size), modTime: stats.mtimeNs };
}

/** The entry of a directory. */
export function dirEntry(path: string, stats: fs.BigIntStats): DirEntry {
  return { kind: 'dir', path, modTime: stats.mtimeNs };
}

/** What an entry takes on the disk. Blocks are counted in 512 bytes, whatever those of the file system are. */
export function diskUsage(stats: fs.BigIntStats, isSpecial: boolean): DiskUsage {
  return {
    ...{ bytes: Number(stats.blocks) * 512, size: Number(stats.size) },
    ...{ device: stats.dev, inode: stats.ino, isSpecial },
    links: stats.isDirectory() ? 1 : Number(stats.nlink),
  };
}

/** The entry of a symbolic link that is shown as a text file; `undefined` if there is no link. */
export function linkEntry(disk: LocalDisk, path: string): FileEntry | undefined {
  const stats = disk.look(disk.pathOf(path));
  return stats?.isSymbolicLink() ? fileEntry(path, stats) : undefined;
}

/** The target of a symbolic link, as the bytes of its text file. */
export function readLink(native: string): Buffer {
  return fs.readlinkSync(fsPath(native), 'buffer');
}

/** Advice about a file that changes while it is read. */
export const CHANGED_ADVICE =
  'run the command again when no program writes to it, or use --local-no-check-updated';

/** Throws `source-changed` if a file differs from its listed entry. */
export function checkUnchanged(
  disk: LocalDisk,
  file: FileEntry,
  now: fs.BigIntStats,
  doing: 'copy' | 'delete' = 'copy',
): void {
  if (!disk.settings.checkUpdated) return;
  const fail = (what: string, from: unknown, to: unknown) => {
    throw new SyncerError(
      'source-changed',
      `can't ${doing} - source file is being updated (${what} changed from ${from} to ${to})`,
      { path: file.path, advice: CHANGED_ADVICE },
    );
  };
  if (file.size >= 0 && BigInt(file.size) !== now.size) fail('size', file.size, now.size);
  if (file.modTime !== undefined && file.modTime !== now.mtimeNs) {
    fail('mod time', showTime(file.modTime), showTime(now.mtimeNs));
  }
}

/** How much of a file to take, in bytes: if changes are tolerated, the listed size of one that grows. */
export function sizeToTake(disk: LocalDisk, { size }: FileEntry, now: number): number {
  return disk.settings.checkUpdated || size < 0 ? now : Math.min(size, now);
}

function showTime(ns: bigint): string {
  const fraction = (((ns % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n)
    .toString()
    .padStart(9, '0');
  return `${new Date(Number(ns / 1_000_000n)).toISOString().slice(0, 19)}.${fraction}Z`;
}
