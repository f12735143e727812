import type { Dirent } from 'node:fs';
import fs from 'node:fs';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { compareNames } from '../../core/name-order.ts';
import type { Entry, FailedEntry, Op, Page } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import { fsPath } from './fs-path.ts';
import type { LocalDisk } from './local-disk.ts';
import { dirEntry, diskUsage, fileEntry } from './local-entry.ts';
import { parentOf } from './partial-file.ts';
import { isPartialName } from './partial-name.ts';

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

/** From this size of the directory itself on, it is read in another thread: it may be slow. */
const LARGE_DIRECTORY = 256 * 1024;

/**
 * The names in a directory, sorted by `compareEntries`. Skipped links and special files are logged; with `withAll` they
 * and temporary files of syncer are among the names. Rejects with `unreadable`.
 */
async function readNames(
  disk: LocalDisk,
  dir: string,
  withAll: boolean,
): Promise<readonly ListedName[]> {
  const native = disk.dirPathOf(dir);
  let entries: readonly NativeEntry[];
  try {
    entries = await readEntries(native);
  } catch (thrown) {
    if (isFsError(thrown, 'ENOENT', 'ELOOP') || leadsThroughFile(native, thrown))
      throw directoryNotFound(native, thrown);
    throw fsError(thrown, 'open', native, { denied: 'unreadable' });
  }
  const names: ListedName[] = [];
  for (const dirent of entries) {
    const name = typeof dirent.name === 'string' ? dirent.name : nameFromBytes(dirent.name);
    if (isPartialName(name)) {
      disk.sweeper.found(joinNative(native, name));
      if (!withAll) continue;
    }
    const listed = listedName(disk, dir, native, name, dirent, withAll);
    if (listed !== undefined) names.push(listed);
  }
  disk.sweeper.listed();
  return sortNames(names);
}

/** Whether a directory on the way is a file, so that nothing can be at `path`. */
function leadsThroughFile(path: string, thrown: unknown): boolean {
  return isFsError(thrown, 'ENOTDIR') && !fs.existsSync(fsPath(path));
}

function directoryNotFound(path: string, cause: unknown): SyncerError {
  const message = `directory not found: ${showPath(path)}`;
  return new SyncerError('directory-not-found', message, { path, advice: 'check the path', cause });
}

type NativeEntry = Dirent | Dirent<Buffer>;

/** The entries of a directory; their names are bytes if some are not UTF-8. */
async function readEntries(native: string): Promise<readonly NativeEntry[]> {
  const path = fsPath(native);
  const options = { withFileTypes: true } as const;
  const isLarge = fs.statSync(path).size >= LARGE_DIRECTORY;
  const dirents = isLarge
    ? await fs.promises.readdir(path, options)
    : fs.readdirSync(path, options);
  if (!dirents.some((dirent) => dirent.name.includes('\ufffd'))) return dirents;
  return fs.readdirSync(path, { ...options, encoding: 'buffer' });
}

function listedName(
  disk: LocalDisk,
  dir: string,
  nativeDir: string,
  native: string,
  dirent: NativeEntry,
  withAll: boolean,
): ListedName | undefined {
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

/** The path of a name in an absolute directory. */
export function joinNative(dir: string, name: string): string {
  return dir.endsWith('/') ? dir + name : `${dir}/${name}`;
}

function sortNames(names: ListedName[]): ListedName[] {
  // The order of UTF-16 is that of bytes as long as all characters are below the surrogates.
  const simple = names.every(({ key }) => !/[\ud800-\uffff]/.test(key));
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

/** Entries on a page: few enough that work on the first ones starts early. */
const PAGE_SIZE = 1000;

/** How many directories may be half listed at the same time before names are read again. */
const MAX_OPEN = 256;

/** The names of a directory from the given one on. */
interface NamesFrom {
  readonly names: readonly ListedName[];
  readonly from: number;
}

/** Lists directories page by page. All names are read first, sizes and times page by page. */
export class DirectoryLister {
  readonly #disk: LocalDisk;
  /** The names after a page, by directory and cursor. Only a cache: a cursor is enough by itself. */
  readonly #rest = new Map<string, NamesFrom>();

  readonly #withUsage: boolean;

  /** `withUsage`: with what everything takes on the disk, and with what other listings omit. */
  constructor(disk: LocalDisk, withUsage = false) {
    this.#disk = disk;
    this.#withUsage = withUsage;
  }

  /** See `Remote.listPage`. A cursor is the key of the last entry returned. */
  async listPage(dir: string, cursor: string | undefined, op: Op): Promise<Page> {
    op.signal.throwIfAborted();
    await this.#disk.turns.take();
    const { names, from } = await this.#namesAfter(dir, cursor);
    const page = names.slice(from, from + PAGE_SIZE);
    const entries = this.#entries(dir, page);
    const failed = failedEntries(dir, page);
    const usage = cursor === undefined ? this.#usageOf(dir) : {};
    const found: Page = { entries, ...usage, ...(failed.length > 0 ? { failed } : {}) };
    const last = page.at(-1);
    this.#forget(dir, cursor);
    if (names.length <= from + PAGE_SIZE || last === undefined) return found;
    this.#remember(dir, last.key, { names, from: from + PAGE_SIZE });
    return { ...found, cursor: last.key };
  }

  async #namesAfter(dir: string, cursor: string | undefined): Promise<NamesFrom> {
    const rest = cursor === undefined ? undefined : this.#rest.get(cacheKey(dir, cursor));
    if (rest !== undefined) return rest;
    const names = await readNames(this.#disk, dir, this.#withUsage);
    if (cursor === undefined) return { names, from: 0 };
    return { names: names.filter(({ key }) => compareNames(key, cursor) > 0), from: 0 };
  }

  #remember(dir: string, cursor: string, rest: NamesFrom): void {
    this.#rest.set(cacheKey(dir, cursor), rest);
    if (this.#rest.size <= MAX_OPEN) return;
    const [oldest] = this.#rest.keys();
    if (oldest !== undefined) this.#rest.delete(oldest);
  }

  #forget(dir: string, cursor: string | undefined): void {
    if (cursor !== undefined) this.#rest.delete(cacheKey(dir, cursor));
  }

  #entries(dir: string, names: readonly ListedName[]): Entry[] {
    const nativeDir = this.#disk.dirPathOf(dir);
    const entries: Entry[] = [];
    for (const name of names) {
      if (name.failed !== undefined) continue;
      const entry = this.#entry(dir, joinNative(nativeDir, name.native), name);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }

  #usageOf(dir: string): Pick<Page, 'usage'> {
    if (!this.#withUsage) return {};
    const stats = this.#disk.look(this.#disk.dirPathOf(dir));
    return stats === undefined ? {} : { usage: diskUsage(stats, false) };
  }

  #entry(
    dir: string,
    native: string,
    { key, isDir, isSpecial = false }: ListedName,
  ): Entry | undefined {
    let stats: ReturnType<LocalDisk['look']>;
    try {
      stats = this.#disk.look(native);
    } catch (thrown) {
      throw fsError(thrown, 'lstat', native, { denied: 'unreadable' });
    }
    // Deleted since its name was read.
    if (stats === undefined) return undefined;
    if (stats.isDirectory() !== isDir) {
      throw new SyncerError('source-changed', `${native}: changed while it was listed`, {
        path: native,
      });
    }
    if (isDir && this.#disk.isForeign(stats)) return undefined;
    const { timeType } = this.#disk.settings;
    const entry = isDir
      ? dirEntry(joinPath(dir, key.slice(0, -1)), stats, timeType)
      : fileEntry(joinPath(dir, key), stats, timeType);
    return this.#withUsage ? { ...entry, usage: diskUsage(stats, isSpecial) } : entry;
  }
}

function failedEntries(dir: string, names: readonly ListedName[]): FailedEntry[] {
  return names.flatMap(({ key, failed: error }) =>
    error === undefined ? [] : [{ path: joinPath(dir, key), error }],
  );
}

function cacheKey(dir: string, cursor: string): string {
  return `${dir}\0${cursor}`;
}
