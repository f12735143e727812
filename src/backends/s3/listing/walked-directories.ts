import { compareNames } from '../../../core/name-order.ts';
import type { Op } from '../../../core/remote.ts';
import type { ListedKey } from '../xml/read-answer.ts';
import type { KeyPage, Lister, ListQuery } from './lister.ts';

/** A directory with at most this many entries is small: a page has room for many of them. */
const SMALL = 50;
/** After this many small directories in a row, the next ones are listed together. */
const IN_A_ROW = 4;
/** A page of several directories must replace at least this many requests, or the next comes much later. */
const WORTHWHILE = 4;
/** How long a directory that was listed with others stands for its listing, in milliseconds. */
const FRESH_MS = 10_000;

const walks = new WeakMap<object, WalkedDirectories>();

/**
 * The first page of a directory of a walk, as `Lister.page` gives it. Where directories are small, one request without
 * a delimiter lists several that are walked soon: a thousand keys, however many directories they are in. `walk`:
 * identifies the walk; what it has listed is forgotten with it.
 */
export function walkedDirectory(
  lister: Pick<Lister, 'page'>,
  walk: object,
  query: ListQuery,
  op: Op,
): Promise<KeyPage> {
  const known = walks.get(walk) ?? new WalkedDirectories(lister, query);
  walks.set(walk, known);
  return known.page(query, op);
}

/** Directories by their prefix. */
type Directories = Map<string, KeyPage>;

class WalkedDirectories {
  readonly #lister: Pick<Lister, 'page'>;
  /** The first directory that was asked for: the others are below. */
  readonly #top: ListQuery;
  /** The last two answers: walkers of several directories are not in step. */
  #together: readonly { readonly directories: Directories; readonly atMs: number }[] = [];
  /** The request under way. */
  #asked: Promise<void> | undefined;
  #smallInARow = 0;
  #needed = IN_A_ROW;
  /** Requests that the last answer has replaced; enough while there is none that counts. */
  #replaced = WORTHWHILE;

  constructor(lister: Pick<Lister, 'page'>, top: ListQuery) {
    this.#lister = lister;
    this.#top = top;
  }

  async page(query: ListQuery, op: Op): Promise<KeyPage> {
    const { bucket, prefix } = query;
    if (bucket !== this.#top.bucket || !prefix.startsWith(this.#top.prefix))
      return this.#lister.page(query, op);
    for (;;) {
      const known = this.#take(prefix);
      if (known !== undefined) return known;
      if (this.#asked === undefined) break;
      await this.#asked;
    }
    const isDue = this.#smallInARow >= this.#needed;
    if (isDue && this.#replaced < WORTHWHILE) {
      this.#replaced = WORTHWHILE;
      this.#smallInARow = 0;
      this.#needed *= 4;
    } else if (isDue) {
      this.#asked = this.#listTogether(prefix, op).finally(() => {
        this.#asked = undefined;
      });
      await this.#asked;
      const known = this.#take(prefix);
      if (known !== undefined) return known;
    }
    const page = await this.#lister.page(query, op);
    const isSmall = page.next === undefined && page.keys.length + page.prefixes.length <= SMALL;
    this.#smallInARow = isSmall ? this.#smallInARow + 1 : 0;
    return page;
  }

  #take(prefix: string): KeyPage | undefined {
    for (const { directories, atMs } of this.#together) {
      const page = directories.get(prefix);
      if (page === undefined) continue;
      directories.delete(prefix);
      if (performance.now() - atMs > FRESH_MS) return undefined;
      this.#replaced++;
      return page;
    }
    return undefined;
  }

  /** Lists the directory with what follows. Any error, or an order of names that proves nothing, ends that. */
  async #listTogether(prefix: string, op: Op): Promise<void> {
    const { bucket, prefix: top } = this.#top;
    // The slash comes right behind the dot.
    const after = `${prefix.slice(0, -1)}.`;
    const position = { after };
    const query = { bucket, prefix: top, byDirectory: false, position, isOptional: true };
    const atMs = performance.now();
    try {
      const page = await this.#lister.page(query, op);
      const first = page.keys[0]?.key ?? '';
      // The directory was in a listing: another first key is from elsewhere, and the order may be any.
      const isThere = first.startsWith(prefix) || first.startsWith(after);
      const directories = isThere ? directoriesOf(page, top, after) : undefined;
      if (directories === undefined) this.#needed = Number.POSITIVE_INFINITY;
      else this.#together = [{ directories, atMs }, ...this.#together.slice(0, 1)];
      this.#replaced = 0;
    } catch {
      // It may be that only listings of directories are allowed. If not, the next request has the error.
      this.#needed = Number.POSITIVE_INFINITY;
    }
  }
}

/**
 * The directories that a page of keys has whole, each as a listing of it alone would be: its own keys, and the prefixes
 * of those below. `undefined` if the keys are not in order behind `after`. `top`: the prefix of the listing. `after`:
 * where the listing began.
 */
export function directoriesOf(
  { keys, next }: Pick<KeyPage, 'keys' | 'next'>,
  top: string,
  after: string,
): Directories | undefined {
  const found = new Map<string, { keys: ListedKey[]; prefixes: string[] }>();
  let before = after;
  for (const listed of keys) {
    const { key } = listed;
    if (compareNames(key, before) <= 0) return undefined;
    before = key;
    let child: string | undefined;
    for (let end = key.lastIndexOf('/') + 1; end > top.length; ) {
      const prefix = key.slice(0, end);
      // It began before the page.
      if (after.startsWith(prefix)) break;
      let directory = found.get(prefix);
      if (directory === undefined) {
        directory = { keys: [], prefixes: [] };
        found.set(prefix, directory);
      }
      const { prefixes } = directory;
      if (child === undefined) directory.keys.push(listed);
      else if (prefixes.at(-1) !== child) prefixes.push(child);
      else break;
      child = prefix;
      end = end === 1 ? 0 : key.lastIndexOf('/', end - 2) + 1;
    }
  }
  if (next !== undefined) {
    for (const prefix of found.keys()) if (before.startsWith(prefix)) found.delete(prefix);
  }
  return found;
}
