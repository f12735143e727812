import type { Dirent } from 'node:fs';
import fs from 'node:fs';
import { DEFAULT_LIST_CUTOFF } from '../../core/context.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { compareNames, isOrderedByUnits } from '../../core/name-order.ts';
import { once } from '../../core/once.ts';
import { joinPath, LINK_SUFFIX } from '../../core/remote-path.ts';
import { isPartialName } from '../../names/partial-name.ts';
import type { DiskSorter } from '../../system/disk-sort.ts';
import { fsPath, joinNative } from '../../system/fs-path.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { parentOf } from './local-entry.ts';

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

/**
 * The names in a directory, sorted by `compareEntries`: in memory, or on disk if there are too many. Rejects with
 * `unreadable`.
 *
 * @param wanted `withAll`: also skipped links and special files, which are otherwise logged, and temporary files of
 *   syncer; `after`: only names after this key; `isLarge`: whether it is a `LARGE_DIRECTORY`, absent if unknown
 */
export async function readNames(
  disk: LocalDisk,
  dir: string,
  wanted: {
    readonly withAll: boolean;
    readonly after?: string | undefined;
    readonly isLarge?: boolean;
  },
): Promise<NamesPage> {
  const { withAll, after, isLarge } = wanted;
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
      if (sorter === undefined) {
        const { DiskSorter } = await import('../../system/disk-sort.ts');
        const event = { type: 'log', level: 'notice', path: dir || disk.title } as const;
        disk.context.emit({ ...event, code: 'sorts-on-disk', fields: { cutoff } });
        sorter = new DiskSorter((a, b) => compareNames(a.key, b.key), cutoff);
      }
      sorter.add(
        names.map(({ failed, ...name }) => {
          // Errors stay in memory: a file would hold only their texts.
          if (failed !== undefined) failures.set(name.key, failed);
          return name;
        }),
      );
      names = [];
    }
    if (!hasAny) await assertEmpty(native);
  } catch (thrown) {
    sorter?.close();
    // Where a directory on the way is a file, nothing can be.
    const isBelowFile = isFsError(thrown, 'ENOTDIR') && !fs.existsSync(fsPath(native));
    if (isBelowFile || isFsError(thrown, 'ENOENT', 'ELOOP'))
      throw directoryNotFound(native, thrown);
    throw fsError(thrown, 'open', native, { denied: 'unreadable' });
  }
  disk.sweeper.listed(native);
  return sorter === undefined ? pageFrom(sortByKey(names), 0) : pagesOf(sorter, failures);
}

function directoryNotFound(path: string, cause?: unknown): SyncerError {
  const message = `directory not found: ${showPath(path)}`;
  return new SyncerError('directory-not-found', message, { path, advice: 'check the path', cause });
}

type NativeEntry = Dirent | Dirent<Buffer>;

/** Throws if a directory seems empty because it cannot be read: C's `readdir` takes ENOENT for the end. */
async function assertEmpty(native: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const path = fsPath(native);
  const { reader } = await (await import('./directory-reader.ts')).loadReaders();
  if (reader === undefined || path !== native) return void fs.statSync(path);
  if (reader.read(path) !== undefined) return;
  throw directoryNotFound(native);
}

/** The entries of a directory, in parts. `again`: a name is not UTF-8, and all follow again with names as bytes. */
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

/** The first of the pages that were sorted on disk. */
function pagesOf(sorter: DiskSorter<ListedName>, failures: ReadonlyMap<string, SyncerError>) {
  const pages = sorter.pages(PAGE_SIZE);
  const failing = (name: ListedName): ListedName => {
    const failed = failures.get(name.key);
    return failed === undefined ? name : { ...name, failed };
  };
  // A generator that threw would seem to have ended.
  let broken: unknown;
  const nextPage = (): NamesPage | undefined => {
    if (broken !== undefined) throw broken;
    let next: IteratorResult<ListedName[]>;
    try {
      next = pages.next();
    } catch (thrown) {
      broken = thrown;
      throw thrown;
    }
    if (next.done === true) return undefined;
    const { value } = next;
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
      return { key: name + LINK_SUFFIX, native, isDir: false };
    case 'follow':
      return followed(disk, path, name, native, joinNative(nativeDir, native));
  }
}

/**
 * A link in a listing, by its target; failed if that is missing, or a directory above it: following it would never end.
 */
function followed(disk: LocalDisk, path: string, name: string, native: string, link: string) {
  try {
    let stats: fs.BigIntStats;
    try {
      stats = fs.statSync(fsPath(link), { bigint: true });
    } catch (thrown) {
      const { message } = fsError(thrown, 'symlink: stat', link);
      throw new SyncerError('unreadable', message, { path: link, cause: thrown });
    }
    if (stats.isFile()) return { key: name, native, isDir: false };
    if (!stats.isDirectory()) return leaveOut(disk, path, 'special');
    let dir = link;
    do {
      dir = parentOf(dir);
      const above = fs.statSync(fsPath(dir), { bigint: true });
      if (above.ino !== stats.ino || above.dev !== stats.dev) continue;
      const message = `symlink: ${link}: leads back to a parent directory`;
      throw new SyncerError('unreadable', message, { path: link });
    } while (dir !== disk.settings.root && dir !== '/');
    return { key: `${name}/`, native, isDir: true };
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
