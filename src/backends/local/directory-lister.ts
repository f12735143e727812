import { SyncerError } from '../../core/errors.ts';
import type { Entry, FailedEntry, Op, Page } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import { fsError } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { dirEntry, diskUsage, fileEntry } from './local-entry.ts';
import { joinNative, type ListedName, type NamesPage, readNames } from './read-names.ts';

/** How many directories may be half listed at the same time before names are read again. */
const MAX_OPEN = 256;

/** Lists directories page by page. All names are read first, sizes and times page by page. */
export class DirectoryLister {
  readonly #disk: LocalDisk;
  /** The names after a page, by directory and cursor. Only a cache: a cursor is enough by itself. */
  readonly #rest = new Map<string, NamesPage>();

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
    const page = await this.#namesAfter(dir, cursor);
    const { names } = page;
    const entries = this.#entries(dir, names);
    const failed = failedEntries(dir, names);
    const usage = cursor === undefined ? this.#usageOf(dir) : {};
    const found: Page = { entries, ...usage, ...(failed.length > 0 ? { failed } : {}) };
    const last = names.at(-1);
    const next = page.next();
    this.#forget(dir, cursor);
    if (next === undefined || last === undefined) return found;
    this.#remember(dir, last.key, next);
    return { ...found, cursor: last.key };
  }

  async #namesAfter(dir: string, cursor: string | undefined): Promise<NamesPage> {
    const rest = cursor === undefined ? undefined : this.#rest.get(cacheKey(dir, cursor));
    return rest ?? readNames(this.#disk, dir, { withAll: this.#withUsage, after: cursor });
  }

  #remember(dir: string, cursor: string, rest: NamesPage): void {
    this.#rest.set(cacheKey(dir, cursor), rest);
    if (this.#rest.size <= MAX_OPEN) return;
    const [oldest] = this.#rest;
    if (oldest === undefined) return;
    oldest[1].close();
    this.#rest.delete(oldest[0]);
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
