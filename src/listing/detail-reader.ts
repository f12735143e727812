import type { HashName } from '../core/hash-names.ts';
import { asSeen } from '../core/mod-time.ts';
import type { DirEntry, FileEntry, Op, Remote } from '../core/remote.ts';

/** What a command prints of files besides what their listing has. */
export interface WantedDetails {
  readonly modTime: boolean;
  readonly mimeType: boolean;
  readonly metadata: boolean;
  readonly hashes: readonly HashName[];
  /** The server's time replaces the file's own time (`--use-server-modtime`). */
  readonly useServerModTime: boolean;
}

/** Only the modification time. */
export const wantedTimes = {
  modTime: true,
  mimeType: false,
  metadata: false,
  hashes: [],
} satisfies Omit<WantedDetails, 'useServerModTime'>;

/**
 * A function that completes a file's entry with the wanted details: immediately if the listing has them, else by a
 * request. Failures go to `onError`, and the entry stays incomplete.
 */
export function detailReader(
  remote: Remote,
  wanted: WantedDetails,
  op: Op,
  onError: (thrown: unknown, path: string) => void,
): (file: FileEntry) => FileEntry | Promise<FileEntry> {
  const { can } = remote;
  const { details } = can;
  const { slowModTime } = remote.traits;

  const withServerTime = (file: FileEntry) => asSeen(file, wanted.useServerModTime);
  const lacksDetails = (file: FileEntry) =>
    (wanted.modTime && file.modTime === undefined) ||
    (wanted.mimeType && slowModTime && file.mimeType === undefined) ||
    (wanted.metadata && file.metadata === undefined);
  const lacksHash = (file: FileEntry) =>
    wanted.hashes.filter((name) => file.hashes?.[name] === undefined);
  const isUnsure = (file: FileEntry) =>
    wanted.hashes.length > 0 && can.hashesInDoubt?.(file) === true;

  const complete = async (listed: FileEntry): Promise<FileEntry> => {
    let file = listed;
    try {
      if (details !== undefined && lacksDetails(file)) {
        file = withServerTime(await details.read(file, op));
      }
      if (isUnsure(file)) file = (await can.confirmHashes?.(file, op)) ?? file;
    } catch (thrown) {
      op.signal.throwIfAborted();
      onError(thrown, file.path);
    }
    const missing = lacksHash(file);
    if (missing.length === 0) return file;
    let hashes: Partial<Record<HashName, string>> = {};
    try {
      if (can.hashes !== undefined && missing.length > 1)
        hashes = await can.hashes(file, missing, op);
      else
        for (const name of missing) {
          const value = await can.hash?.(file, name, op);
          if (value !== undefined) hashes[name] = value;
        }
    } catch (thrown) {
      op.signal.throwIfAborted();
      onError(thrown, file.path);
    }
    return { ...file, hashes: { ...file.hashes, ...hashes } };
  };

  return (listed) => {
    const file = withServerTime(listed);
    const isComplete = details === undefined || !lacksDetails(file);
    return isComplete && lacksHash(file).length === 0 && !isUnsure(file) ? file : complete(file);
  };
}

/** As `detailReader` for directories, which have metadata on some backends. */
export function dirDetailReader(
  { can }: Remote,
  wanted: WantedDetails,
  op: Op,
  onError: (thrown: unknown, path: string) => void,
): (dir: DirEntry) => DirEntry | Promise<DirEntry> {
  const { readDirMetadata } = can;
  if (readDirMetadata === undefined || !wanted.metadata) return (dir) => dir;
  return async (dir) => {
    if (dir.metadata !== undefined) return dir;
    try {
      return { ...dir, metadata: await readDirMetadata(dir, op) };
    } catch (thrown) {
      op.signal.throwIfAborted();
      onError(thrown, dir.path);
      return dir;
    }
  };
}
