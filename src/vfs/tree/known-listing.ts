import { PathWalk } from './path-walk.ts';

/** What is known from the remote about the entries of a directory of nodes (`N`), and since when. */
export class KnownListing<N> {
  /** The start of the listing, by the monotonic clock; -Infinity if there is no valid one. */
  #listedAt = Number.NEGATIVE_INFINITY;
  /** Children that were requested one by one, and when. */
  #checked: Map<string, number> | undefined;
  /** How many were requested one by one since the last listing. */
  #asked = 0;
  #isLarge = false;
  #loading: Loading | undefined;
  #walk: PathWalk<N> | undefined;

  get listedAt(): number {
    return this.#listedAt;
  }

  /** Whether it has more than one page. */
  get isLarge(): boolean {
    return this.#isLarge;
  }

  /** The listing that is being read. */
  get loading(): Loading | undefined {
    return this.#loading;
  }

  /** The progress of its readers, for reading ahead. */
  get walk(): PathWalk<N> {
    this.#walk ??= new PathWalk();
    return this.#walk;
  }

  /** A listing begins; it ends by `loaded`. */
  loads(loading: Loading): void {
    this.#loading = loading;
  }

  loaded(): void {
    this.#loading = undefined;
  }

  /** The whole listing is known. `startedAt`: since then; -Infinity if it may be wrong. */
  listed(startedAt: number): void {
    this.#listedAt = startedAt;
    this.#checked = undefined;
    this.#walk = undefined;
    this.#asked = 0;
    this.#isLarge = false;
  }

  /** Its first page was not the last one. */
  foundLarge(): void {
    this.#isLarge = true;
  }

  /** It has no children that count: it was just created. */
  createdAt(time: number): void {
    this.#listedAt = time;
  }

  /** All that is known may be wrong, and so may be what is being read. */
  expire(): void {
    this.#listedAt = Number.NEGATIVE_INFINITY;
    this.#checked = undefined;
    this.#loading?.distrust();
  }

  /** It has lost its place, and its children. */
  forget(): void {
    this.#listedAt = Number.NEGATIVE_INFINITY;
    this.#checked = undefined;
  }

  /** Counts a request for one name; returns how many there were since the last listing. */
  asks(): number {
    return ++this.#asked;
  }

  /** When a child was requested alone; `undefined` if it was not. */
  checkedAt(name: string): number | undefined {
    return this.#checked?.get(name);
  }

  /** A child was found to be there. */
  check(name: string, time: number): void {
    this.#checked ??= new Map();
    this.#checked.set(name, time);
  }

  uncheck(name: string): void {
    this.#checked?.delete(name);
  }

  /**
   * A request for one name begins. Its response is passed to the returned function, which forgets it if all expired in
   * between: it may be older than that.
   */
  checking(): (name: string, time: number) => void {
    this.#checked ??= new Map();
    const checked = this.#checked;
    return (name, time) => void checked.set(name, time);
  }

  /** Forgets the requests for single names that are too old; returns whether any is left. */
  expireChecks(isValid: (time: number) => boolean): boolean {
    for (const [name, time] of this.#checked ?? []) {
      if (!isValid(time)) this.#checked?.delete(name);
    }
    if (this.#checked?.size === 0) this.#checked = undefined;
    return this.#checked !== undefined;
  }
}

/** A listing of a directory that is being read. */
export class Loading {
  /** Whether the directory was read to its end. */
  readonly done: Promise<boolean>;
  #wantsAll: boolean;
  #isTrusted = true;

  /** @param read reads it; starts immediately */
  constructor(wantsAll: boolean, read: (loading: Loading) => Promise<boolean>) {
    this.#wantsAll = wantsAll;
    this.done = read(this);
  }

  /** A caller needs all pages. */
  get wantsAll(): boolean {
    return this.#wantsAll;
  }

  /** No call with an unknown outcome ran at the same time, and no page can have missed entries. */
  get isTrusted(): boolean {
    return this.#isTrusted;
  }

  wantAll(): void {
    this.#wantsAll = true;
  }

  distrust(): void {
    this.#isTrusted = false;
  }
}
