import type { DetailsAsked, FileEntry, Op, Remote } from '../core/remote.ts';
import type { BothSides, Sides } from './action.ts';

/**
 * The entry with its modification time, requested if the listing lacks it.
 *
 * @param asked what is requested besides
 */
export function withModTime(
  remote: Remote,
  file: FileEntry,
  op: Op,
  asked?: DetailsAsked,
): Promise<FileEntry> {
  const { details } = remote.can;
  if (file.modTime !== undefined || details === undefined) return Promise.resolve(file);
  return details.read(file, op, asked).then(timed);
}

/** An entry without any time counts as written at the epoch, so that it differs. */
export function timed(file: FileEntry): FileEntry {
  return file.modTime === undefined ? { ...file, modTime: file.storedTime ?? 0n } : file;
}

/** A pair with the modification times of both files, requested where the listings lack them. */
export async function withModTimes<Pair extends BothSides>(
  sides: Sides,
  pair: Pair,
  op: Op,
): Promise<Pair> {
  const { source, dest } = pair;
  // Mostly one side has them.
  if (source.modTime !== undefined)
    return { ...pair, dest: timed(await withModTime(sides.dest, dest, op)) };
  if (dest.modTime !== undefined)
    return { ...pair, source: timed(await withModTime(sides.source, source, op)) };
  const [from, to] = await Promise.all([
    withModTime(sides.source, source, op),
    withModTime(sides.dest, dest, op),
  ]);
  return { ...pair, source: timed(from), dest: timed(to) };
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
