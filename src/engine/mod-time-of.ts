import type { FileEntry, Op, Remote } from '../core/remote.ts';

/**
 * The entry with its modification time, requested if the listing lacks it.
 *
 * @param read requests it
 */
export async function withModTime(
  remote: Remote,
  file: FileEntry,
  op: Op,
  read = remote.can.readDetails,
): Promise<FileEntry> {
  if (file.modTime !== undefined || read === undefined) return file;
  const detailed = await read(file, op);
  if (detailed.modTime !== undefined) return detailed;
  return { ...detailed, modTime: detailed.storedTime ?? 0n };
}

/**
 * The entry with its metadata, and its modification time. The listed properties stay: they are a condition of the
 * read.
 */
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

/** The entry with the hashes that `detailed` has of the same file, besides its own. */
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
