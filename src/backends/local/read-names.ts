import type { Dirent } from 'node:fs';
import fs from 'node:fs';
import { DEFAULT_LIST_CUTOFF } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { compareNames, isOrderedByUnits } from '../../core/name-order.ts';
import { joinPath } from '../../core/remote-path.ts';
import { once } from '../../core/used-again.ts';
import { isPartialName } from '../../names/partial-name.ts';
import type { DiskSorter } from '../../system/disk-sort.ts';
import { fsPath, joinNative } from '../../system/fs-path.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { parentOf } from './partial-file.ts';

/** A name in a directory, before its size and time are read. */
export interface ListedName {
  /** The sort key: the name in syncer's form, with a slash for a directory. */
  readonly key: string;
  /** On the disk. */
  readonly native: string;
  readonly isDir: boolean;
  /** A link that is not followed, a socket, a device. */
  readonly isSpecial?: boolean;
  /** The entry exists, but its target cannot be examined. */
  readonly failed?: SyncerError;
}

/** Entries on a page: few enough that work on the first ones starts early. */
const PAGE_SIZE = 1000;

/** Sorted names of a directory. */
export interface NamesPage {
  readonly names: readonly ListedName[];
  /** The names after these; `undefined` if there are none. The same at every call. */
  next(): NamesPage | undefined;
  /** There will be no more calls. */
  close(): void;
}

/** From this size of the directory itself on, as on a slow disk, it is read in another thread and in parts. */
export const LARGE_DIRECTORY = 256 * 1024;

/** How many names are read of a large directory at a time. */
const READ_AT_ONCE = 4096;

/** What is read of a directory, and how. */
export interface NamesWanted {
  /** Also skipped links and special files, which are otherwise logged, and temporary files of syncer. */
  readonly withAll: boolean;
  /** Only names after this key. */
  readonly after?: string | undefined;
  /** Whether the directory is a `LARGE_DIRECTORY`; absent: unknown. */
  readonly isLarge?: boolean;
}

/**
 * The names in a directory, sorted by `compareEntries`: in memory, or on disk if there are too many. Rejects with
 * `unreadable`.
 */
export async function readNames(
  disk: LocalDisk,
  dir: string,
  { withAll, after, isLarge }: NamesWanted,
): Promise<NamesPage> {
  const native = disk.dirPathOf(dir);
  const cutoff = disk.context.listCutoff ?? DEFAULT_LIST_CUTOFF;
  const failures = new Map<string, SyncerError>();
  let hasAny = false;
  let names: ListedName[] = [];
  let sorter: DiskSorter<ListedName> | undefined;
  try {
    for await (const dirents of entriesIn(disk, native, isLarge)) {
      if (dirents === 'again') {
        sorter?.close();
        sorter = undefined;
        names = [];
        continue;
      }
      hasAny ||= dirents.length > 0;
      for (let at = 0; at < dirents.length; at++) {
        const dirent = dirents[at] as NativeEntry;
        const name = typeof dirent.name === 'string' ? dirent.name : nameFromBytes(dirent.name);
        const listed = listedName(disk, dir, native, name, dirent, withAll);
        if (listed === undefined) continue;
        if (after === undefined || compareNames(listed.key, after) > 0) names.push(listed);
      }
      if (sorter === undefined && names.length <= cutoff) continue;
      sorter ??= await openSorter(disk, dir, cutoff);
      sorter.add(withoutFailures(names, failures));
      names = [];
    }
    if (!hasAny) await assertEmpty(native);
  } catch (thrown) {
    sorter?.close();
    if (isFsError(thrown, 'ENOENT', 'ELOOP') || leadsThroughFile(native, thrown))
      throw directoryNotFound(native, thrown);
    throw fsError(thrown, 'open', native, { denied: 'unreadable' });
  }
  disk.sweeper.listed(native);
  return sorter === undefined ? pageFrom(sortByKey(names), 0) : pagesOf(sorter, failures);
}

/** Whether a directory on the way is a file, so that nothing can be at `path`. */
function leadsThroughFile(path: string, thrown: unknown): boolean {
  return isFsError(thrown, 'ENOTDIR') && !fs.existsSync(fsPath(path));
}

function directoryNotFound(path: string, cause?: unknown): SyncerError {
  const message = `directory not found: ${showPath(path)}`;
  return new SyncerError('directory-not-found', message, { path, advice: 'check the path', cause });
}

type NativeEntry = Dirent | Dirent<Buffer>;

/**
 * Throws if a directory seems empty because it cannot be read: the C library's `readdir` takes ENOENT, also of a directory
 * that was removed since it was opened, for the end.
 */
async function assertEmpty(native: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const path = fsPath(native);
  const { reader } = await (await import('./directory-reader.ts')).loadReaders();
  if (reader === undefined || path !== native) return void fs.statSync(path);
  if (reader.read(path) !== undefined) return;
  throw directoryNotFound(native);
}

/**
 * The entries of a directory, of a large one in parts. `again`: a name is not UTF-8; those so far do not count, and all
 * follow with their names as bytes.
 */
async function* entriesIn(
  { pace }: LocalDisk,
  native: string,
  isLarge: boolean | undefined,
): AsyncGenerator<readonly NativeEntry[] | 'again'> {
  const path = fsPath(native);
  const inBytes = { withFileTypes: true, encoding: 'buffer' } as const;
  const isOdd = (dirent: Dirent) => dirent.name.includes('\ufffd');
  if (!pace.isSlow && !(isLarge ?? fs.statSync(path).size >= LARGE_DIRECTORY)) {
    const dirents = fs.readdirSync(path, { withFileTypes: true });
    yield dirents.some(isOdd) ? fs.readdirSync(path, inBytes) : dirents;
    return;
  }
  let part: Dirent[] = [];
  for await (const dirent of await fs.promises.opendir(path, { bufferSize: READ_AT_ONCE })) {
    if (isOdd(dirent)) {
      yield 'again';
      yield await fs.promises.readdir(path, inBytes);
      return;
    }
    if (part.push(dirent) < READ_AT_ONCE) continue;
    yield part;
    part = [];
  }
  yield part;
}

async function openSorter(disk: LocalDisk, dir: string, cutoff: number) {
  const { DiskSorter } = await import('../../system/disk-sort.ts');
  const event = { type: 'log', level: 'notice', path: dir || disk.title } as const;
  disk.context.emit({ ...event, code: 'sorts-on-disk', fields: { cutoff } });
  return new DiskSorter<ListedName>((a, b) => compareNames(a.key, b.key), cutoff);
}

/** Errors stay in memory: a file would hold only their texts. */
function withoutFailures(names: readonly ListedName[], failures: Map<string, SyncerError>) {
  return names.map(({ failed, ...name }): ListedName => {
    if (failed !== undefined) failures.set(name.key, failed);
    return name;
  });
}

/** The first of the pages that were sorted on disk. */
function pagesOf(
  sorter: DiskSorter<ListedName>,
  failures: ReadonlyMap<string, SyncerError>,
): NamesPage {
  const pages = sorter.pages(PAGE_SIZE);
  const failing = (name: ListedName): ListedName => {
    const failed = failures.get(name.key);
    return failed === undefined ? name : { ...name, failed };
  };
  // A generator that threw would seem to have ended.
  let broken: unknown;
  const nextNames = () => {
    if (broken !== undefined) throw broken;
    try {
      return pages.next();
    } catch (thrown) {
      broken = thrown;
      throw thrown;
    }
  };
  const nextPage = (): NamesPage | undefined => {
    const { value, done } = nextNames();
    if (done === true) return undefined;
    const names = failures.size === 0 ? value : value.map(failing);
    return { names, next: once(nextPage), close: () => sorter.close() };
  };
  return nextPage() ?? pageFrom([], 0);
}

function pageFrom(names: readonly ListedName[], from: number): NamesPage {
  const end = from + PAGE_SIZE;
  return {
    names: names.slice(from, end),
    next: () => (end < names.length ? pageFrom(names, end) : undefined),
    close: () => {},
  };
}

/** A name by what is there; `undefined` if listings leave that out. */
export function listedName(
  disk: LocalDisk,
  dir: string,
  nativeDir: string,
  native: string,
  dirent: Pick<NativeEntry, 'isDirectory' | 'isFile' | 'isSymbolicLink'>,
  withAll: boolean,
): ListedName | undefined {
  if (isPartialName(native)) {
    disk.sweeper.found(joinNative(nativeDir, native));
    if (!withAll) return undefined;
  }
  const name = disk.nameOf(native);
  if (dirent.isDirectory()) return { key: `${name}/`, native, isDir: true };
  if (dirent.isFile()) return { key: name, native, isDir: false };
  const path = joinPath(dir, name);
  const special: ListedName | undefined = withAll
    ? { key: name, native, isDir: false, isSpecial: true }
    : undefined;
  if (!dirent.isSymbolicLink()) return special ?? leaveOut(disk, path, 'special');
  switch (disk.settings.links) {
    case 'skip':
      return special;
    case 'warn':
      return special ?? leaveOut(disk, path, 'link');
    case 'translate':
      return { key: disk.linkName(name), native, isDir: false };
    case 'follow':
      return followed(disk, path, name, native, joinNative(nativeDir, native));
  }
}

function followed(
  disk: LocalDisk,
  path: string,
  name: string,
  native: string,
  link: string,
): ListedName | undefined {
  try {
    const stats = followLink(disk, link);
    if (stats.isDirectory()) return { key: `${name}/`, native, isDir: true };
    if (stats.isFile()) return { key: name, native, isDir: false };
    return leaveOut(disk, path, 'special');
  } catch (thrown) {
    return { key: name, native, isDir: false, failed: toSyncerError(thrown) };
  }
}

function leaveOut(disk: LocalDisk, path: string, what: 'special' | 'link'): undefined {
  if (what === 'special' && disk.settings.skipSpecials) return undefined;
  const event = { code: 'not-transferable', fields: { what } } as const;
  disk.context.emit({ type: 'log', level: 'notice', path, ...event });
  return undefined;
}

/** Sorts names by their keys, in place. */
export function sortByKey<T extends { readonly key: string }>(names: T[]): T[] {
  const simple = names.every(({ key }) => isOrderedByUnits(key));
  return names.sort(
    simple
      ? (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)
      : (a, b) => compareNames(a.key, b.key),
  );
}

/**
 * The target of a link in a listing. Throws `unreadable` if that is missing, or a directory above it: following it
 * would never end.
 */
function followLink(disk: LocalDisk, native: string): fs.BigIntStats {
  let stats: fs.BigIntStats;
  try {
    stats = fs.statSync(fsPath(native), { bigint: true });
  } catch (thrown) {
    const { message } = fsError(thrown, 'symlink: stat', native);
    throw new SyncerError('unreadable', message, { path: native, cause: thrown });
  }
  if (stats.isDirectory() && leadsBack(disk.settings.root, native, stats)) {
    throw new SyncerError('unreadable', `symlink: ${native}: leads back to a parent directory`, {
      path: native,
    });
  }
  return stats;
}

function leadsBack(root: string, native: string, target: fs.BigIntStats): boolean {
  let dir = native;
  do {
    dir = parentOf(dir);
    const stats = fs.statSync(fsPath(dir), { bigint: true });
    if (stats.ino === target.ino && stats.dev === target.dev) return true;
  } while (dir !== root && dir !== '/');
  return false;
}
