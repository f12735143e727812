import type { FileEntry, Op, Remote } from '../core/remote.ts';

/**
 * The entry with its modification time, asked for where the listing did not tell it.
 *
 * @param read asks for it
 */
export async function withModTime(
  remote: Remote,
  file: FileEntry,
  op: Op,
  read = remote.can.readDetails,
): Promise<FileEntry> {
  if (file.modTime !== undefined || read === undefined) return file;
  const detailed = await read(file, op);
  return { ...detailed, modTime: detailed.modTime ?? detailed.storedTime ?? 0n };
}

/** The entry with its metadata, and its modification time. What the listing told stands: the file is read as that. */
export async function withMetadata(
  remote: Remote,
  file: FileEntry,
  op: Op,
  read = remote.can.readDetails,
): Promise<FileEntry> {
  if (read === undefined) return file;
  const detailed = await read(file, op);
  const modTime = detailed.modTime ?? detailed.storedTime ?? 0n;
  return withHashesOf({ ...detailed, modTime, ...file }, detailed);
}

/** The entry with the hashes that `detailed` tells of the same file, besides what it knows itself. */
export function withHashesOf(file: FileEntry, detailed: FileEntry): FileEntry {
  const { hashes, partsMd5 } = detailed;
  const isSame = detailed.size === file.size && detailed.etag === file.etag;
  if (hashes === undefined || !isSame) return file;
  return {
    ...file,
    hashes: { ...hashes, ...file.hashes },
    ...(partsMd5 === undefined ? {} : { partsMd5 }),
  };
}
