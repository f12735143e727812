import type { ModTime } from '../core/mod-time.ts';
import type { Entry, FileEntry, Remote } from '../core/remote.ts';
import { formatSize } from '../go/byte-size.ts';
import { formatDateTime, formatDateTimeNs } from './time-format.ts';

/** A size in bytes (-1: unknown) right-aligned in `width`; with `human` as `1.500Mi` in nine columns. */
function sizeField(size: number, width: number, human: boolean): string {
  if (!human) return String(size).padStart(width);
  return (size < 0 ? String(size) : formatSize(size)).padStart(9);
}

/** A line of `ls`: size and path. */
export function lsLine(size: number, path: string, human: boolean): string {
  return `${sizeField(size, 9, human)} ${path}\n`;
}

/** A line of `lsl`: size, modification time and path. */
export function lslLine(size: number, modTime: ModTime, path: string, human: boolean): string {
  return `${sizeField(size, 9, human)} ${formatDateTimeNs(modTime)} ${path}\n`;
}

/** A line of `lsd`: size and time of a directory, the number of its entries (unknown: -1), its path. */
export function lsdLine(
  size: number,
  modTime: ModTime,
  path: string,
  human: boolean,
  entries = -1,
): string {
  const count = String(entries).padStart(human ? 8 : 9);
  return `${sizeField(size, 12, human)} ${formatDateTime(modTime)} ${count} ${path}\n`;
}

/**
 * The shown size of a directory without its own: -1, but 0 for the prefixes of object storage, unless they are from a flat listing;
 * rclone shows them so.
 */
export function shownDirSize(dir: Entry, { traits }: Remote, isFlat: boolean): number {
  const isPrefix = traits.bucketBased && dir.kind === 'dir' && dir.isBucket !== true;
  return isPrefix && !isFlat ? 0 : -1;
}

/** Files of one hash as `dedupe` lists them, numbered from 1; `now` replaces unknown times. */
export function duplicatesText(hash: string, files: readonly FileEntry[], now: bigint): string {
  const lines = files.map(({ path, size, modTime = now }, i) => {
    const bytes = String(size).padStart(12);
    return `  ${i + 1}: ${bytes} bytes, ${formatDateTimeNs(modTime)}, ${path}\n`;
  });
  return `${hash}: ${files.length} duplicates\n${lines.join('')}`;
}
