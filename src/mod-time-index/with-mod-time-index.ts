import { around, type Layer } from '../core/around.ts';
import type { Capabilities, FileEntry, Page, Remote } from '../core/remote.ts';
import { joinPath, leafName, parentPath } from '../core/remote-path.ts';
import { type LearnedTime, learnFromDetails, learnFromWrite } from './known-time.ts';
import { ListingTimes } from './listing-times.ts';
import { ModTimeIndex, type ModTimeIndexOptions } from './mod-time-index.ts';

/** Adds the index of a run to its remotes; opened when the first of them uses it. */
export function openModTimes(options: ModTimeIndexOptions) {
  let index: ModTimeIndex | undefined;
  const open = () => {
    index ??= new ModTimeIndex(options);
    return index;
  };
  return {
    around: (remote: Remote) => withModTimeIndex(remote, open),
    /** Writes what was learned, after the remotes are closed. */
    close: async () => index?.close(),
  };
}

/**
 * The remote with an index: its listings get the known modification times, and other responses are recorded. Returned
 * as it is if its listings have times, are not sorted, or it has no `storeId`.
 *
 * @param openIndex called if the remote gets an index
 */
export function withModTimeIndex(remote: Remote, openIndex: () => ModTimeIndex): Remote {
  const { slowModTime, sortedPages } = remote.traits;
  if (!slowModTime || !sortedPages || remote.storeId === undefined) return remote;
  return around(remote, new IndexLayer(remote, openIndex(), remote.storeId).layer());
}

class IndexLayer {
  readonly #inner: Remote;
  readonly #index: ModTimeIndex;
  readonly #storeId: string;
  /** Listings between two pages, by the arguments of the next page. */
  readonly #listings = new Map<string, ListingTimes>();

  constructor(inner: Remote, index: ModTimeIndex, storeId: string) {
    this.#inner = inner;
    this.#index = index;
    this.#storeId = storeId;
  }

  layer(): Layer {
    const inner = this.#inner;
    // The index is read in the order of the names.
    const { listTreeUnordered: _, ...can } = inner.can;
    return {
      listPage: async (dir, cursor, op) =>
        this.#complete(['dir', dir], cursor, await inner.listPage(dir, cursor, op)),
      stat: async (path, op) => {
        const entry = await inner.stat(path, op);
        if (entry?.kind === 'file') this.#learn(entry, learnFromDetails(entry, undefined));
        return entry;
      },
      write: (source, op) => this.#learnWritten(() => inner.write(source, op)),
      close: async () => {
        for (const listing of this.#listings.values()) listing.close();
        this.#listings.clear();
        await inner.close();
      },
      can: { ...can, ...this.#learning() },
    };
  }

  /**
   * Operations whose responses are recorded. Not server-side copies: their time is that of the source at that moment.
   */
  #learning(): Capabilities {
    const { readDetails, readDetailsWithChecksums, readWithDetails, setModTime, listTreePage } =
      this.#inner.can;
    const { takeBack } = this.#inner.can;
    const learn = (details: FileEntry, listed: FileEntry) =>
      this.#learn(details, learnFromDetails(details, listed));
    return {
      ...(readDetails && {
        readDetails: async (file, op) => learn(await readDetails(file, op), file),
      }),
      ...(readDetailsWithChecksums && {
        readDetailsWithChecksums: async (file, op) =>
          learn(await readDetailsWithChecksums(file, op), file),
      }),
      ...(readWithDetails && {
        readWithDetails: async (file, op) => {
          const opened = await readWithDetails(file, op);
          learn(opened.file, file);
          return opened;
        },
      }),
      ...(setModTime && {
        setModTime: (file, modTime, op) => this.#learnWritten(() => setModTime(file, modTime, op)),
      }),
      ...(takeBack && {
        takeBack: (file, failed, op) => {
          this.#learn(file, undefined);
          return takeBack(file, failed, op);
        },
      }),
      ...(listTreePage && {
        listTreePage: async (dir, cursor, op, range) =>
          this.#complete(
            ['tree', dir],
            cursor,
            await listTreePage(dir, cursor, op, range),
            range === undefined,
          ),
      }),
    };
  }

  /** @param isWhole it is a page of a listing of everything */
  #complete(what: readonly string[], cursor: string | undefined, page: Page, isWhole = true): Page {
    const listing = this.#listingAt(what, cursor, isWhole);
    const entries = listing.complete(page.entries);
    if (page.cursor === undefined) listing.end();
    else {
      const key = JSON.stringify([...what, page.cursor]);
      this.#listings.get(key)?.close();
      this.#listings.set(key, listing);
    }
    return { ...page, entries };
  }

  /** The listing that continues with this page. An unknown one is read from its start. */
  #listingAt(what: readonly string[], cursor: string | undefined, isWhole: boolean): ListingTimes {
    const key = JSON.stringify([...what, cursor]);
    const known = cursor === undefined ? undefined : this.#listings.get(key);
    this.#listings.delete(key);
    if (known !== undefined) return known;
    const source = {
      open: (dir: string) => this.#index.open(this.#storeId, joinPath(this.#inner.root, dir)),
      finish: (directory: ReturnType<ModTimeIndex['open']>) => this.#index.finish(directory),
    };
    return new ListingTimes(source, isWhole && cursor === undefined);
  }

  async #learnWritten(write: () => Promise<FileEntry>): Promise<FileEntry> {
    const { clock } = this.#index;
    const startMs = clock.monotonic();
    const written = await write();
    return this.#learn(written, learnFromWrite(written, startMs, clock.monotonic()));
  }

  #learn(file: FileEntry, learned: LearnedTime | undefined): FileEntry {
    const dir = joinPath(this.#inner.root, parentPath(file.path));
    this.#index.learn(this.#storeId, dir, leafName(file.path), learned);
    return file;
  }
}
