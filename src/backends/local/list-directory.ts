import { SyncerError } from '../../core/errors.ts';
import { compareNames } from '../../core/name-order.ts';
import type { Entry, FailedEntry, Op, Page } from '../../core/remote.ts';
import { joinPath } from '../../core/remote-path.ts';
import { fsError } from './fs-error.ts';
import type { LocalDisk } from './local-disk.ts';
import { dirEntry, fileEntry } from './local-entry.ts';
import { joinNative, type ListedName, readNames } from './read-names.ts';

/** How many entries come on a page: few enough that work on the first ones starts early. */
const PAGE_SIZE = 1000;

/** How many directories may be half listed at once before names are read again. */
const MAX_OPEN = 256;

/** The names of a directory from the given one on. */
interface NamesFrom {
  readonly names: readonly ListedName[];
  readonly from: number;
}

/** Lists directories page by page. The names are read at once, sizes and times page by page. */
export class DirectoryLister {
  readonly #disk: LocalDisk;
  /** The names after a page, by directory and cursor. Only a cache: a cursor is enough by itself. */
  readonly #rest = new Map<string, NamesFrom>();

  constructor(disk: LocalDisk) {
    this.#disk = disk;
  }

  /** See `Remote.listPage`. A cursor is the key of the last entry given. */
  async listPage(dir: string, cursor: string | undefined, op: Op): Promise<Page> {
    op.signal.throwIfAborted();
    await this.#disk.turns.take();
    const { names, from } = await this.#namesAfter(dir, cursor);
    const page = names.slice(from, from + PAGE_SIZE);
    const entries = this.#entries(dir, page);
    const failed = failedEntries(dir, page);
    const found: Page = failed.length > 0 ? { entries, failed } : { entries };
    const last = page.at(-1);
    this.#forget(dir, cursor);
    if (names.length <= from + PAGE_SIZE || last === undefined) return found;
    this.#remember(dir, last.key, { names, from: from + PAGE_SIZE });
    return { ...found, cursor: last.key };
  }

  async #namesAfter(dir: string, cursor: string | undefined): Promise<NamesFrom> {
    const rest = cursor === undefined ? undefined : this.#rest.get(cacheKey(dir, cursor));
    if (rest !== undefined) return rest;
    const names = await readNames(this.#disk, dir);
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

  #entry(dir: string, native: string, { key, isDir }: ListedName): Entry | undefined {
    let stats: ReturnType<LocalDisk['look']>;
    try {
      stats = this.#disk.look(native);
    } catch (thrown) {
      throw fsError(thrown, 'lstat', native, { denied: 'unreadable' });
    }
    // Gone since its name was read.
    if (stats === undefined) return undefined;
    if (stats.isDirectory() !== isDir) {
      throw new SyncerError('source-changed', `${native}: changed while it was listed`, {
        path: native,
      });
    }
    if (!isDir) return fileEntry(joinPath(dir, key), stats);
    return this.#disk.isForeign(stats)
      ? undefined
      : dirEntry(joinPath(dir, key.slice(0, -1)), stats);
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
