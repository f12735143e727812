import { SyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
import type { Entry, FileEntry, Op } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import { type EntryRules, statEntry } from './rclone-entry.ts';
import type { Answer, RcloneProcess } from './rclone-process.ts';

/** The features that `operations/fsinfo` lists. */
export type Features = Readonly<Record<string, boolean | undefined>>;

/** What a remote of rclone works with. */
export interface RcloneAccess {
  readonly rclone: RcloneProcess;
  /** The name in the configuration. */
  readonly name: string;
  /** The remote as rclone opens it, at the top: `name,option=value:`, or with a slash if the root has one. */
  readonly fs: string;
  /** The root below `fs`. */
  readonly root: string;
  readonly features: Features;
  readonly hashes: readonly HashName[];
  /** In nanoseconds; `undefined`: it keeps no times. */
  readonly precision: bigint | undefined;
  readonly rules: EntryRules;
  /** Further settings of each copy: `--ignore-checksum`, `--ignore-size`. */
  readonly copyConfig: Readonly<Record<string, unknown>>;
  /** Listings have the metadata of entries. */
  readonly listsMetadata: boolean;
}

/** A path below the root, as rclone gets it. Throws `name-invalid` for names that are not UTF-8. */
export function remotePath({ root }: RcloneAccess, path: string): string {
  if (!path.isWellFormed()) {
    throw new SyncerError('name-invalid', `${path}: rclone takes only names that are UTF-8`, {
      path,
    });
  }
  return joinPath(root, path);
}

/** A call about one path of the remote. */
export function callAt(
  access: RcloneAccess,
  name: string,
  path: string,
  op: Op,
  more: object = {},
  reads = false,
): Promise<Answer> {
  const input = { fs: access.fs, remote: remotePath(access, path), ...more };
  return access.rclone.call(name, input, { signal: op.signal, path, reads });
}

/** What is asked of entries. */
export function listOptions(access: RcloneAccess, isDetailed: boolean): object {
  const { features, hashes, listsMetadata } = access;
  const withHashes = hashes.length > 0 && features['SlowHash'] !== true;
  return {
    noMimeType: features['ReadMimeType'] !== true,
    noModTime: !isDetailed && features['SlowModTime'] === true,
    showHash: withHashes,
    hashTypes: withHashes ? hashes : [],
    metadata: features['ReadMetadata'] === true && (isDetailed || listsMetadata),
  };
}

/** The entry at a path with all that the remote keeps of it; `undefined` if nothing is there. */
export async function statAt(
  access: RcloneAccess,
  path: string,
  op: Op,
): Promise<Entry | undefined> {
  const opt = listOptions(access, true);
  return statEntry(access.rules, await callAt(access, 'operations/stat', path, op, { opt }, true));
}

/** The file at a path. Rejects with `file-not-found` if there is none. */
export async function fileAt(access: RcloneAccess, path: string, op: Op): Promise<FileEntry> {
  const entry = await statAt(access, path, op);
  if (entry?.kind === 'file') return entry;
  throw new SyncerError('file-not-found', `${path}: object not found`, { path });
}
