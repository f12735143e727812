import { hasCode, SyncerError } from '../../core/errors.ts';
import type { HashName } from '../../core/hash-names.ts';
import { compareEntries, foldName } from '../../core/name-order.ts';
import type { DirEntry, Entry, FailedEntry, FileEntry, Op, Page } from '../../core/remote.ts';
import { joinPath, leafName, parentPath } from '../../core/remote-path.ts';
import {
  type AnsweredCall,
  badAnswer,
  itemOf,
  itemsOf,
  type RcloneAnswer,
  type RcloneInfo,
  type RcloneItem,
  timeOf,
} from './rclone-answers.ts';
import type { RcloneProcess } from './rclone-process.ts';
import type { SeenDirs } from './seen-dirs.ts';

/** What a remote of rclone works with. */
export interface RcloneAccess {
  readonly rclone: RcloneProcess;
  /** The name in the configuration. */
  readonly name: string;
  /** The type in the configuration. */
  readonly type: string;
  /** The remote as rclone opens it, at the top: `name,option=value:`, or with a slash if the root has one. */
  readonly fs: string;
  /** The root below `fs`. */
  readonly root: string;
  /** The features that `operations/fsinfo` lists. */
  readonly features: RcloneInfo['features'];
  readonly hashes: readonly HashName[];
  /** In nanoseconds; `undefined`: it keeps no times. */
  readonly precision: bigint | undefined;
  /** Further settings of each copy: `--ignore-checksum`, `--ignore-size`. */
  readonly copyConfig: Readonly<Record<string, unknown>>;
  /** Listings have the metadata of entries. */
  readonly listsMetadata: boolean;
  /** Absent if every file of the remote can be seen: what is below it may be several remotes. */
  readonly seenDirs?: SeenDirs;
}

/** The quote of rclone's names before what it can quote. */
const QUOTED = /‛[‛\u2400-\u2421\uff01-\uff5e]/g;

/** A path as rclone gets it. Throws `name-invalid` for what JSON cannot hold, and for a `‛` that quotes nothing. */
export function remotePath({ root }: RcloneAccess, path: string): string {
  const isStray = path.includes('‛') && path.replace(QUOTED, '').includes('‛');
  if (path.isWellFormed() && !isStray) return joinPath(root, path);
  const what = isStray ? 'with the character ‛' : 'that are not UTF-8';
  const text = `${path}: names ${what} cannot be given to rclone`;
  throw new SyncerError('name-invalid', text, { path });
}

/** A call about one path of the remote. */
export function callAt(
  access: RcloneAccess,
  name: string,
  path: string,
  op: Op,
  more: object = {},
  reads = false,
): Promise<RcloneAnswer> {
  const input = { fs: access.fs, remote: remotePath(access, path), ...more };
  return access.rclone.call(name, input, { signal: op.signal, path, reads });
}

/** What is asked of entries. */
export function listOptions(access: RcloneAccess, isDetailed: boolean): object {
  const { features, hashes, listsMetadata } = access;
  const keepsMetadata = features['ReadMetadata'] === true || features['ReadDirMetadata'] === true;
  const withHashes = hashes.length > 0 && features['SlowHash'] !== true;
  return {
    noMimeType: features['ReadMimeType'] !== true,
    noModTime: !isDetailed && features['SlowModTime'] === true,
    showHash: withHashes,
    hashTypes: withHashes ? hashes : [],
    metadata: keepsMetadata && (isDetailed || listsMetadata),
  };
}

/** The entry at a path with all that the remote keeps of it; `undefined` if nothing is there. */
export async function statAt(access: RcloneAccess, path: string, op: Op) {
  const opt = listOptions(access, true);
  try {
    const entry = await lookAt(access, path, opt, op);
    if (entry?.kind === 'dir') access.seenDirs?.note([entry]);
    return entry;
  } catch (thrown) {
    // A file is above it.
    if (hasCode(thrown, 'not-a-directory', 'directory-not-found', 'file-not-found'))
      return undefined;
    throw thrown;
  }
}

/** What `operations/stat` says of a path; `undefined`: nothing is there. */
async function lookAt(access: RcloneAccess, path: string, opt: object, op: Op) {
  const name = 'operations/stat';
  const call = { name, path };
  const item = itemOf(await callAt(access, name, path, op, { opt }, true), call);
  if (item === undefined) return undefined;
  const fold = access.features['CaseInsensitive'] === true ? foldName : (one: string) => one;
  const [told, asked] = [item.Path, remotePath(access, path)].map((one) => fold(one).normalize());
  if (told !== asked) throw badAnswer(call, 'the entry has another path');
  return entryOf(access, item, call);
}

/** The file at a path. Rejects with `file-not-found` if there is none. */
export async function fileAt(access: RcloneAccess, path: string, op: Op): Promise<FileEntry> {
  const entry = await statAt(access, path, op);
  if (entry?.kind === 'file') return entry;
  throw new SyncerError('file-not-found', `${path}: object not found`, { path });
}

/** The directory at a path. Rejects with `directory-not-found` if there is none. */
export async function dirAt(access: RcloneAccess, dir: string, op: Op): Promise<DirEntry> {
  const entry = await statAt(access, dir, op);
  if (entry?.kind === 'dir') return entry;
  throw new SyncerError('directory-not-found', `${dir}: directory not found`, { path: dir });
}

/** Rejects with `not-a-directory` if a file is at the path: some services treat it like an empty directory. */
export async function rejectFile(access: RcloneAccess, path: string, op: Op): Promise<void> {
  if (remotePath(access, path) === '' || !access.features['CanHaveEmptyDirectories']) return;
  const opt = { filesOnly: true, noModTime: true, noMimeType: true };
  const found = await lookAt(access, path, opt, op).catch((thrown: unknown) => {
    op.signal.throwIfAborted();
    if (hasCode(thrown, 'file-not-found', 'directory-not-found', 'not-a-directory', 'not-a-file'))
      return undefined;
    throw thrown;
  });
  if (found?.kind !== 'file') return;
  throw new SyncerError('not-a-directory', `${path}: is a file, not a directory`, { path });
}

/** Whether an error may have another cause than it says: a file in the way of a directory, or the reverse. */
export const isUnclear = (thrown: unknown): boolean =>
  hasCode(thrown, 'other', 'server', 'unsupported', 'file-not-found', 'directory-not-found');

/** The error of a write that failed for unknown reasons: a directory at the path, or a file above it, says more. */
export async function whyNotWritten(access: RcloneAccess, path: string, thrown: unknown, op: Op) {
  if (!isUnclear(thrown)) return thrown;
  try {
    if ((await statAt(access, path, op))?.kind === 'dir') {
      const text = `${path}: is a directory, not a file`;
      return new SyncerError('not-a-file', text, { path, cause: thrown });
    }
    return await fileAbove(access, path, thrown, op);
  } catch {
    return thrown;
  }
}

/** `not-a-directory` if a file is above the path, else the error. */
export async function fileAbove(access: RcloneAccess, path: string, thrown: unknown, op: Op) {
  for (let dir = parentPath(path); dir !== ''; dir = parentPath(dir)) {
    try {
      await rejectFile(access, dir, op);
    } catch (found) {
      return hasCode(found, 'not-a-directory') ? found : thrown;
    }
  }
  return thrown;
}

/** No name of a file. */
const NO_NAME = /^\.{0,2}$|[/\0]/;

/** What `operations/list` says of a directory, in order, failed entries for invalid names. Throws `bad-answer`. */
export async function entriesIn(
  access: RcloneAccess,
  dir: string,
  opt: object,
  op: Op,
): Promise<Page> {
  const name = 'operations/list';
  const call = { name, path: dir };
  const items = itemsOf(await callAt(access, name, dir, op, { opt }, true), call);
  const asked = remotePath(access, dir);
  const start = asked === '' ? '' : `${asked}/`;
  const entries: Entry[] = [];
  const failed: FailedEntry[] = [];
  for (let at = 0; at < items.length; at++) {
    const item = items[at] as RcloneItem;
    if (!item.Path.startsWith(start)) throw badAnswer(call, `"${item.Path}" is not in it`);
    const leaf = item.Path.slice(start.length);
    if (NO_NAME.test(leaf)) {
      const path = joinPath(dir, leaf);
      const error = badAnswer({ name, path: dir }, `${JSON.stringify(leaf)} is no valid name`);
      failed.push({ path, error });
    } else if (leaf !== item.Name) throw badAnswer(call, `"${item.Path}" has another Name`);
    else entries.push(entryOf(access, item, call));
  }
  entries.sort(compareEntries);
  access.seenDirs?.note(entries);
  if (access.features['DuplicateFiles'] !== true) refuseRepeats(entries, call);
  return failed.length === 0 ? { entries } : { entries, failed };
}

/** A file and a directory of one name can exist in object stores; two files need another kind of service. */
function refuseRepeats(sorted: readonly Entry[], call: AnsweredCall): void {
  for (let at = 1; at < sorted.length; at++) {
    const [a, b] = [sorted[at - 1] as Entry, sorted[at] as Entry];
    if (a.path === b.path && a.kind === b.kind)
      throw badAnswer(call, `it has "${leafName(a.path)}" twice`);
  }
}

function entryOf({ root, precision, hashes }: RcloneAccess, item: RcloneItem, call: AnsweredCall) {
  const path = root === '' ? item.Path : item.Path.slice(root.length + 1);
  const modTime = precision === undefined ? undefined : timeOf(item, call);
  const shared = {
    path,
    ...(modTime === undefined ? {} : { modTime }),
    ...(item.ID ? { id: item.ID } : {}),
    ...(item.Metadata == null ? {} : { metadata: item.Metadata }),
  };
  const { Hashes: told } = item;
  if (item.IsDir) {
    const dir: DirEntry = { kind: 'dir', ...shared };
    return item.IsBucket === true ? { ...dir, isBucket: true } : dir;
  }
  const file: FileEntry = {
    kind: 'file',
    ...shared,
    size: item.Size,
    ...(item.MimeType ? { mimeType: item.MimeType } : {}),
    ...(item.Tier ? { tier: item.Tier } : {}),
    ...(told == null
      ? {}
      : {
          hashes: Object.fromEntries(
            hashes.flatMap((name) => (told[name] ? [[name, told[name]]] : [])),
          ),
        }),
  };
  return file;
}
