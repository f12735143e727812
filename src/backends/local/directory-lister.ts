import fs from 'node:fs';
import { DEFAULT_LIST_CUTOFF } from '../../core/context.ts';
import type { UsageRows } from '../../core/entry-details.ts';
import { SyncerError, toSyncerError } from '../../core/errors.ts';
import { compareEntries, compareNames } from '../../core/name-order.ts';
import type { Entry, FailedEntry, Op, Page } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import { fsPath, joinNative } from '../../system/fs-path.ts';
import type { DirectoryReader, Readers } from './directory-reader.ts';
import { fsError, isFsError, showPath } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { dirEntry, diskUsage, type FileAttributes, fileEntry } from './local-entry.ts';
import {
  LARGE_DIRECTORY,
  type ListedName,
  listedName,
  type NamesPage,
  readNames,
  sortByKey,
} from './read-names.ts';
import type { LocalUsageRows } from './usage-rows.ts';

/** How many directories may be half listed at the same time before names are read again. */
const MAX_OPEN = 256;
/** How many files a listing has before loading readers that use the C library pays. */
const MANY = 500;
/** How many names are looked up by other threads at a time: while the disk is slow, other calls wait behind them. */
const IN_THREADS = 256;
/** After how many names it is noted how long they took. */
const NOTED = 4;
/** How many calls of the system a directory takes besides those for its names. */
const DIRECTORY_CALLS = 4;
/** Errors of single entries, whose disk or inode is damaged: the rest of the directory is listed. */
const OF_ONE_ENTRY = ['EIO', 'ESTALE', 'EUCLEAN', 'EOVERFLOW'];

/** What a page has so far. */
interface Found {
  readonly entries: Entry[];
  readonly failed: FailedEntry[];
  isSorted: boolean;
}

/** A name and its place in the directory as it was read. */
type IndexedName = ListedName & { readonly index: number };

/** The attributes of names; `undefined` if nothing is there, or looking it up failed. */
type Seen = readonly (FileAttributes | undefined)[];

/** Lists directories page by page. All names are read first, sizes and times page by page. */
export class DirectoryLister {
  readonly #disk: LocalDisk;
  /** The names after a page, by directory and cursor. Only a cache: a cursor is enough by itself. */
  readonly #rest = new Map<string, NamesPage>();

  /** Large directories that were listed, by their paths. */
  readonly #large = new Set<string>();

  readonly #withUsage: boolean;
  #hasListed = false;
  #count = 0;
  /** Once there were many files. */
  #readers: Readers | undefined;
  #rows: LocalUsageRows | undefined;

  /** `withUsage`: with what everything takes on the disk, and with what other listings omit. */
  constructor(disk: LocalDisk, withUsage = false) {
    this.#disk = disk;
    this.#withUsage = withUsage;
  }

  /** See `Remote.listPage`. A cursor is the key of the last entry returned. */
  async listPage(dir: string, cursor: string | undefined, op: Op): Promise<Page> {
    const reader = this.#readers?.reader;
    if (cursor === undefined && reader !== undefined) {
      const whole = this.#readWhole(dir, reader);
      if (whole !== undefined) return whole;
    }
    let page = cursor === undefined ? undefined : this.#rest.get(cacheKey(dir, cursor));
    if (page === undefined) {
      // A walk begins with one that nothing is known about, and lists a directory before what is in it.
      const size = this.#hasListed ? { isLarge: this.#large.has(dir) } : {};
      this.#hasListed = true;
      page = await readNames(this.#disk, dir, { withAll: this.#withUsage, after: cursor, ...size });
    }
    const { names } = page;
    this.#count += names.length;
    if (this.#count > MANY) {
      this.#readers ??= await (await import('./directory-reader.ts')).loadReaders();
    }
    const next = page.next();
    const last = names.at(-1);
    const isHere = (key: string) =>
      (cursor === undefined || compareNames(key, cursor) > 0) &&
      (next === undefined || last === undefined || compareNames(key, last.key) < 0);
    const { entries, failed } = await this.#read(dir, names, isHere, op);
    const usage = cursor === undefined ? this.#usageOf(dir) : {};
    const found: Page = { entries, ...usage, ...(failed.length > 0 ? { failed } : {}) };
    if (cursor !== undefined) this.#rest.delete(cacheKey(dir, cursor));
    if (next === undefined || last === undefined) return found;
    this.#rest.set(cacheKey(dir, last.key), next);
    const [oldest] = this.#rest;
    if (oldest !== undefined && this.#rest.size > MAX_OPEN) {
      oldest[1].close();
      this.#rest.delete(oldest[0]);
    }
    return { ...found, cursor: last.key };
  }

  /** See `Capabilities.takeUsage`. */
  async takeUsage(dir: string, take: (rows: UsageRows) => void): Promise<boolean> {
    this.#readers ??= await (await import('./directory-reader.ts')).loadReaders();
    const { reader } = this.#readers;
    const nativeDir = this.#wholeDir(dir);
    if (nativeDir === undefined || reader === undefined) return false;
    const { pace, context, sweeper } = this.#disk;
    this.#rows ??= new (await import('./usage-rows.ts')).LocalUsageRows(this.#disk);
    const since = context.clock.monotonic();
    const read = reader.readAll(nativeDir);
    pace.note(DIRECTORY_CALLS + (read?.count ?? 0), context.clock.monotonic() - since);
    const rows = read === undefined ? undefined : this.#rows.of(nativeDir, read);
    if (rows === undefined || rows.order.length > (context.listCutoff ?? DEFAULT_LIST_CUTOFF))
      return false;
    this.#hasListed = true;
    sweeper.listed(nativeDir);
    for (const path of rows.dirsFrom(LARGE_DIRECTORY)) this.#large.add(joinPath(dir, path));
    take(rows);
    return true;
  }

  /** A directory of one page; `undefined` if it has to be read in another way. */
  #readWhole(dir: string, reader: DirectoryReader): Page | undefined {
    const nativeDir = this.#wholeDir(dir);
    if (nativeDir === undefined) return undefined;
    const { pace, context } = this.#disk;
    const { clock, listCutoff } = context;
    const since = clock.monotonic();
    const names = reader.read(nativeDir);
    pace.note(DIRECTORY_CALLS + (names?.length ?? 0), clock.monotonic() - since);
    // More go to disk.
    if (names === undefined || names.length > (listCutoff ?? DEFAULT_LIST_CUTOFF)) return undefined;
    this.#hasListed = true;
    const listed: IndexedName[] = [];
    const take = (native: string, index: number) => {
      const stats = reader.attributes(index);
      const name = listedName(this.#disk, dir, nativeDir, native, stats, this.#withUsage);
      if (name !== undefined) listed.push({ ...name, index });
    };
    const odd: [string, number][] = [];
    for (let index = 0; index < names.length; index++) {
      const native = names[index] as string;
      const stats = reader.attributes(index);
      if (stats.isFile() || stats.isDirectory()) take(native, index);
      else odd.push([native, index]);
    }
    // What is logged about them comes in order.
    for (const [native, index] of odd.sort(([a], [b]) => compareNames(a, b))) take(native, index);
    this.#disk.sweeper.listed(nativeDir);
    const entries: Entry[] = [];
    sortByKey(listed);
    for (let at = 0; at < listed.length; at++) {
      const name = listed[at] as IndexedName;
      const entry = this.#entry(dir, name, reader.attributes(name.index));
      if (entry !== undefined) entries.push(entry);
    }
    return { entries, ...this.#usageOf(dir) };
  }

  /** The path of a directory on the disk, if it may be read at once. */
  #wholeDir(dir: string): string | undefined {
    const { pace, settings } = this.#disk;
    if (!pace.isFast || settings.links === 'follow' || this.#large.has(dir)) return undefined;
    const nativeDir = this.#disk.dirPathOf(dir);
    return nativeDir.isWellFormed() ? nativeDir : undefined;
  }

  /** `isHere`: whether a key belongs to this page. */
  async #read(dir: string, names: readonly ListedName[], isHere: (key: string) => boolean, op: Op) {
    const { pace } = this.#disk;
    const nativeDir = this.#disk.dirPathOf(dir);
    const found: Found = { entries: [], failed: [], isSorted: true };
    for (let at = 0; at < names.length; ) {
      const isSlow = pace.isSlow;
      const part = isSlow || at > 0 ? names.slice(at, isSlow ? at + IN_THREADS : undefined) : names;
      let seen: Seen | undefined;
      if (isSlow) {
        pace.noteInThreads(part.length);
        const look = ({ native }: ListedName) =>
          this.#disk.lookInThread(joinNative(nativeDir, native));
        // Looking one up again will say why it failed.
        seen = await Promise.all(part.map((name) => look(name).catch(() => undefined)));
      }
      op.signal.throwIfAborted();
      this.#readers?.statx?.enter(nativeDir, part.length);
      try {
        at += this.#readIn(dir, nativeDir, part, isHere, found, seen);
      } finally {
        this.#readers?.statx?.leave();
      }
    }
    if (!found.isSorted) found.entries.sort(compareEntries);
    return found;
  }

  /** Adds what is found under names, or `seen`, up to where the disk turns out to be slow; returns how many. */
  #readIn(
    dir: string,
    nativeDir: string,
    names: readonly ListedName[],
    isHere: (key: string) => boolean,
    found: Found,
    seen: Seen | undefined,
  ): number {
    const { pace, context } = this.#disk;
    let noted = 0;
    let since = context.clock.monotonic();
    for (let index = 0; index < names.length; index++) {
      if (seen === undefined && index - noted === NOTED) {
        const now = context.clock.monotonic();
        pace.note(NOTED, now - since);
        if (pace.isSlow) return index;
        noted = index;
        since = now;
      }
      this.#add(found, dir, nativeDir, names[index] as ListedName, isHere, seen?.[index]);
    }
    if (seen === undefined) pace.note(names.length - noted, context.clock.monotonic() - since);
    return names.length;
  }

  #add(
    found: Found,
    dir: string,
    nativeDir: string,
    listed: ListedName,
    isHere: (key: string) => boolean,
    seen: FileAttributes | undefined,
  ): void {
    const { native } = listed;
    let stats: FileAttributes | undefined;
    try {
      stats = listed.failed === undefined ? (seen ?? this.#look(nativeDir, native)) : undefined;
    } catch (thrown) {
      const error = toSyncerError(thrown);
      if (!isFsError(error.cause, ...OF_ONE_ENTRY)) throw error;
      found.failed.push(failedEntry(dir, listed, error));
      return;
    }
    let name: ListedName | undefined = listed;
    if (stats !== undefined && !this.#isStill(dir, listed, stats)) {
      name = this.#nameNow(dir, nativeDir, listed);
      found.isSorted = false;
    }
    if (name === undefined) return;
    if (name.failed !== undefined) {
      found.failed.push(failedEntry(dir, name, name.failed));
      return;
    }
    if (stats === undefined) {
      const path = joinNative(nativeDir, native);
      try {
        fs.lstatSync(fsPath(path));
      } catch (thrown) {
        // Together its names are too long for the system; else it was deleted since its name was read.
        if (isFsError(thrown, 'ENAMETOOLONG'))
          found.failed.push(failedEntry(dir, name, fsError(thrown, 'lstat', path)));
      }
      return;
    }
    const now = name === listed ? stats : this.#look(nativeDir, native);
    if (now === undefined) return;
    if (name !== listed && !(this.#isStill(dir, name, now) && isHere(name.key))) {
      // Its listed path or the one that it has now would be in a page that is already passed on.
      const path = joinNative(nativeDir, native);
      const message = `${showPath(path)}: changed while it was listed`;
      const advice = 'run the command again when no program writes to it';
      const error = new SyncerError('source-changed', message, { path, advice });
      found.failed.push(failedEntry(dir, { ...listed, isDir: true }, error));
      return;
    }
    const entry = this.#entry(dir, name, now);
    if (entry !== undefined) found.entries.push(entry);
  }

  #usageOf(dir: string): Pick<Page, 'usage'> {
    if (!this.#withUsage) return {};
    const stats = this.#disk.look(this.#disk.dirPathOf(dir));
    return stats === undefined ? {} : { usage: diskUsage(stats, false) };
  }

  /** Valid until the next call. */
  #look(nativeDir: string, name: string): FileAttributes | undefined {
    const follow = this.#disk.settings.links === 'follow';
    const statx = this.#readers?.statx;
    if (statx?.read(name, follow)) return statx;
    const native = joinNative(nativeDir, name);
    try {
      return this.#disk.look(native);
    } catch (thrown) {
      throw fsError(thrown, 'lstat', native, { denied: 'unreadable' });
    }
  }

  #isStill(dir: string, { key, isDir, isSpecial }: ListedName, stats: FileAttributes): boolean {
    if (isDir || isSpecial) return stats.isDirectory() === isDir;
    return this.#disk.isLink(joinPath(dir, key)) ? stats.isSymbolicLink() : stats.isFile();
  }

  /** The name by what is there now; `undefined` if there is nothing that is listed. */
  #nameNow(dir: string, nativeDir: string, { native }: ListedName): ListedName | undefined {
    const path = joinNative(nativeDir, native);
    let stats: fs.Stats;
    try {
      stats = fs.lstatSync(fsPath(path));
    } catch (thrown) {
      if (isFsError(thrown, 'ENOENT')) return undefined;
      throw fsError(thrown, 'lstat', path, { denied: 'unreadable' });
    }
    return listedName(this.#disk, dir, nativeDir, native, stats, this.#withUsage);
  }

  #entry(dir: string, { key, isDir, isSpecial = false }: ListedName, stats: FileAttributes) {
    const isForeign = isDir && this.#disk.isForeign(stats);
    if (isForeign && !this.#withUsage) return undefined;
    const { timeType } = this.#disk.settings;
    const entry = isDir
      ? dirEntry(joinPath(dir, key.slice(0, -1)), stats, timeType)
      : fileEntry(joinPath(dir, key), stats, timeType);
    if (isDir && entry.size !== undefined && entry.size >= LARGE_DIRECTORY)
      this.#large.add(entry.path);
    if (!this.#withUsage) return entry;
    const usage = diskUsage(stats, isSpecial);
    // What it takes, it takes on the other file system.
    return { ...entry, usage: isForeign ? { ...usage, bytes: 0, size: 0, isForeign } : usage };
  }
}

function failedEntry(dir: string, { key, isDir }: ListedName, error: SyncerError): FailedEntry {
  const path = joinPath(dir, isDir ? key.replace(/\/$/, '') : key);
  return isDir ? { path, kind: 'dir', error } : { path, error };
}

const cacheKey = (dir: string, cursor: string): string => `${dir}\0${cursor}`;
