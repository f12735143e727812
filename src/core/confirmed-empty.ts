import type { FileEntry, Op, Remote } from './remote.ts';

/** The entry of a file about to be read: of unknown size if it is listed as empty and is not (`confirmSize`). */
export function confirmedEmpty(
  remote: Remote,
  file: FileEntry,
  op: Op,
): FileEntry | Promise<FileEntry> {
  return file.size === 0 ? (remote.can.confirmSize?.(file, op) ?? file) : file;
}
