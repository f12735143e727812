import type { FileEntry, Op, Remote } from '../core/remote.ts';

/** The entry with its modification time, asked for where the listing did not tell it. */
export async function withModTime(remote: Remote, file: FileEntry, op: Op): Promise<FileEntry> {
  if (file.modTime !== undefined || remote.can.readDetails === undefined) return file;
  const detailed = await remote.can.readDetails(file, op);
  return { ...detailed, modTime: detailed.modTime ?? detailed.storedTime ?? 0n };
}

/** The entry with its metadata, and its modification time. What the listing told stands: the file is read as that. */
export async function withMetadata(remote: Remote, file: FileEntry, op: Op): Promise<FileEntry> {
  if (remote.can.readDetails === undefined) return file;
  const detailed = await remote.can.readDetails(file, op);
  return { ...detailed, modTime: detailed.modTime ?? detailed.storedTime ?? 0n, ...file };
}
