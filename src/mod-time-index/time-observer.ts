import type { BegunWrite, Observer, PageOf } from '../core/observed.ts';
import type { Entry, FileEntry, Page, Remote } from '../core/remote.ts';
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
    observe: (remote: Remote) => timeObserver(remote, open),
    /** Writes what was learned, after the remotes are closed. */
    close: async () => index?.close(),
  };
}

/**
 * Gives listings the known modification times, and records those of other responses. `undefined` if the listings of
 * the remote have times or are not sorted, or it has no `storeId`.
 *
 * @param openIndex called if the remote gets an index
 */
export function timeObserver(remote: Remote, openIndex: () => ModTimeIndex): Observer | undefined {
  const { storeId, root, traits } = remote;
  if (!traits.slowModTime || !traits.sortedPages || storeId === undefined) return undefined;
  return new TimeObserver(openIndex(), storeId, root);
}

class TimeObserver implements Observer {
  /** Not server-side copies: their time is that of the source at that moment. */
  readonly writes = ['write', 'set-time'] as const;
  /** The index is read in the order of the names. */
  readonly needsOrder = true;
  readonly #index: ModTimeIndex;
  readonly #storeId: string;
  readonly #root: string;
  /** Listings between two pages, by the arguments of the next page. */
  readonly #listings = new Map<string, ListingTimes>();

  constructor(index: ModTimeIndex, storeId: string, root: string) {
    this.#index = index;
    this.#storeId = storeId;
    this.#root = root;
  }

  page(page: Page, of: PageOf | undefined): Page {
    if (of === undefined) return page;
    const listing = this.#listingAt(of);
    const entries = listing.complete(page.entries);
    if (page.cursor === undefined) listing.end();
    else {
      const key = keyOf({ ...of, cursor: page.cursor });
      this.#listings.get(key)?.close();
      this.#listings.set(key, listing);
    }
    return { ...page, entries };
  }

  saw(entry: Entry, listed: FileEntry | undefined): Entry {
    if (entry.kind === 'file') this.#learn(entry, learnFromDetails(entry, listed));
    return entry;
  }

  wrote(file: FileEntry, { startMs }: BegunWrite): void {
    this.#learn(file, learnFromWrite(file, startMs, this.#index.clock.monotonic()));
  }

  wrong(file: FileEntry): void {
    this.#learn(file, undefined);
  }

  close(): void {
    for (const listing of this.#listings.values()) listing.close();
    this.#listings.clear();
  }

  /** The listing that continues with this page. An unknown one is read from its start. */
  #listingAt(of: PageOf): ListingTimes {
    const key = keyOf(of);
    const known = of.cursor === undefined ? undefined : this.#listings.get(key);
    this.#listings.delete(key);
    if (known !== undefined) return known;
    const source = {
      open: (dir: string) => this.#index.open(this.#storeId, joinPath(this.#root, dir)),
      finish: (directory: ReturnType<ModTimeIndex['open']>) => this.#index.finish(directory),
    };
    return new ListingTimes(source, of.isWhole && of.cursor === undefined);
  }

  #learn(file: FileEntry, learned: LearnedTime | undefined): void {
    const dir = joinPath(this.#root, parentPath(file.path));
    this.#index.learn(this.#storeId, dir, leafName(file.path), learned);
  }
}

function keyOf({ what, dir, cursor }: PageOf): string {
  return JSON.stringify([what, dir, cursor]);
}
