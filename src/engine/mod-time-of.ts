import type { DetailsAsked, FileEntry, Op, Remote } from '../core/remote.ts';

/**
 * The entry with its modification time, requested if the listing lacks it.
 *
 * @param asked what is requested besides
 */
export async function withModTime(
  remote: Remote,
  file: FileEntry,
  op: Op,
  asked?: DetailsAsked,
): Promise<FileEntry> {
  const { details } = remote.can;
  if (file.modTime !== undefined || details === undefined) return file;
  const detailed = await details.read(file, op, asked);
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
  asked?: DetailsAsked,
): Promise<FileEntry> {
  const detailed = await remote.can.details?.read(file, op, asked);
  if (detailed === undefined) return file;
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
