import { compareEntries, compareNames } from '../core/name-order.ts';
import type { DirEntry, Entry, Page } from '../core/remote.ts';
import { readPages } from '../core/remote-calls.ts';
import { leafName } from '../core/remote-path.ts';
import type { Walk } from './kept-entries.ts';

/** A directory still to be walked. */
export interface PendingDir {
  readonly path: string;
  /** The root's entries have depth 1. */
  readonly depth: number;
  /** Its first page, if requested ahead. */
  first?: Promise<Page>;
}

/** The directories of a walk that goes directory by directory. */
export class DirsAhead {
  /** Those still to be walked, the next one last. */
  readonly pending: PendingDir[] = [];
  readonly #walk: Walk;
  #underWay = 0;
  #ahead = 0;

  constructor(walk: Walk) {
    this.#walk = walk;
  }

  /** Requests the first pages of the next directories, unless a disk has them at once. */
  lookAhead(): void {
    const { remote, atOnce } = this.#walk;
    if (remote.traits.onDisk && remote.can.isSlow?.() !== true) return;
    const { pending } = this;
    for (let i = pending.length - 1; i >= 0; i--) {
      if (this.#underWay >= atOnce || this.#ahead >= 64) return;
      const dir = pending[i];
      if (dir === undefined || dir.first !== undefined) continue;
      dir.first = this.#firstPage(dir);
      this.#ahead++;
    }
  }

  /** The entries of a directory, sorted by name unless only its files matter and come sorted. */
  pagesOf(dir: PendingDir): AsyncIterable<readonly Entry[]> {
    const { remote, want, op, filter, onError } = this.#walk;
    if (dir.first !== undefined) this.#ahead--;
    const readPage = (cursor: string | undefined) =>
      cursor === undefined
        ? (dir.first ?? this.#firstPage(dir))
        : remote.listPage(dir.path, cursor, op);
    const pages = readPages(readPage, ({ kind, path, error }) => {
      if (kind === 'dir' ? filter.keepDir(path) : filter.keepPath(path)) onError(error, path);
    });
    if (!remote.traits.sortedPages) return collectedByName(pages);
    if (want === 'files') return pages;
    return nameSorted(pages, async (path) => {
      if (remote.traits.emptyDirs) {
        const entry = await remote.stat(path, op);
        return entry?.kind === 'dir' ? entry : undefined;
      }
      const { entries } = await remote.listPage(path, undefined, op);
      return entries.length > 0 ? { kind: 'dir', path } : undefined;
    });
  }

  #firstPage(dir: PendingDir): Promise<Page> {
    const { remote, op } = this.#walk;
    this.#underWay++;
    const page = remote.listPage(dir.path, undefined, op).finally(() => this.#underWay--);
    page.catch(() => undefined);
    return page;
  }
}

/**
 * The entries of one directory by the bytes of their names, from pages in the order of `compareEntries`. The two
 * orders differ for directories only: `a/` comes after `a-b`, its name `a` before it. So names that a later directory
 * may precede are held back; if they become many, `findDir` looks up that directory. Memory does not grow with the
 * directory.
 *
 * @param findDir looks up a directory without listing what is around it
 * @param hold how many entries are held back before a request
 */
export async function* nameSorted(
  pages: AsyncIterable<readonly Entry[]>,
  findDir: (path: string) => Promise<DirEntry | undefined>,
  hold = 5000,
): AsyncGenerator<readonly Entry[]> {
  /** Directories that were looked up: yielded early if they exist, and skipped when they come. */
  const asked = new Set<string>();
  const given = new Set<string>();
  let held: Entry[] = [];
  let awaited: string | undefined;

  const release = (out: Entry[]) => {
    for (const entry of held.sort(byName)) out.push(entry);
    held = [];
    awaited = undefined;
  };
  const take = (entry: Entry, out: Entry[]) => {
    if (awaited !== undefined && isPast(entry, awaited)) release(out);
    for (const dir of asked) if (isPast(entry, dir)) asked.delete(dir);
    if (entry.kind === 'dir' && given.delete(entry.path)) return;
    // The shortest path of a directory that comes later in the listing, but whose name comes before.
    const { path } = entry;
    let at = awaited === undefined ? path.length - leafName(path).length + 1 : path.length;
    for (; awaited === undefined && at < path.length; at++) {
      if (path.charCodeAt(at) < 0x2f && !asked.has(path.slice(0, at))) awaited = path.slice(0, at);
    }
    if (awaited === undefined) out.push(entry);
    else held.push(entry);
    if (entry.kind === 'dir' && entry.path === awaited) release(out);
  };

  for await (const page of pages) {
    const out: Entry[] = [];
    for (const entry of page) take(entry, out);
    while (held.length > hold && awaited !== undefined) {
      const before = held;
      const dir = await findDir(awaited);
      asked.add(awaited);
      held = [];
      awaited = undefined;
      if (dir !== undefined) {
        given.add(dir.path);
        out.push(dir);
      }
      for (const entry of before) take(entry, out);
    }
    if (out.length > 0) yield out;
  }
  if (held.length > 0) yield held.sort(byName);
}

/** The entries of pages in any order, sorted by name: collects them all. */
export async function* collectedByName(
  pages: AsyncIterable<readonly Entry[]>,
): AsyncGenerator<readonly Entry[]> {
  const all: Entry[] = [];
  for await (const page of pages) for (const entry of page) all.push(entry);
  yield all.sort(byName);
}

const byName = (a: Entry, b: Entry): number => compareNames(a.path, b.path) || compareEntries(a, b);

/** Whether a listing that has reached `entry` can no longer contain the directory `path`. */
function isPast(entry: Entry, path: string): boolean {
  return compareEntries({ kind: 'dir', path }, entry) < 0;
}
