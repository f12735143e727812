import { compareEntries, compareNames } from '../core/name-order.ts';
import type { DirEntry, Entry } from '../core/remote.ts';
import { leafName } from '../core/remote-path.ts';

/** Looks up a directory at `path` without listing what is around it. */
export type FindDir = (path: string) => Promise<DirEntry | undefined>;

/** How many entries are held back before a request. */
const HOLD = 5000;

/**
 * The entries of one directory by the bytes of their names, from pages in the order of `compareEntries`. The two
 * orders differ for directories only: `a/` comes after `a-b`, its name `a` before it. So names that a later directory
 * may precede are held back; if they become many, `findDir` looks up that directory. Memory does not grow with the
 * directory.
 */
export async function* nameSorted(
  pages: AsyncIterable<readonly Entry[]>,
  findDir: FindDir,
  hold = HOLD,
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
    awaited ??= awaitedDir(entry.path, asked);
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

function byName(a: Entry, b: Entry): number {
  return compareNames(a.path, b.path) || compareEntries(a, b);
}

/** Whether a listing that has reached `entry` can no longer contain the directory `path`. */
function isPast(entry: Entry, path: string): boolean {
  return compareEntries({ kind: 'dir', path }, entry) < 0;
}

/** The shortest path of a directory that comes later in the listing than `path`, but whose name comes before. */
function awaitedDir(path: string, asked: ReadonlySet<string>): string | undefined {
  for (let i = path.length - leafName(path).length + 1; i < path.length; i++) {
    if (path.charCodeAt(i) >= 0x2f) continue;
    const dir = path.slice(0, i);
    if (!asked.has(dir)) return dir;
  }
  return undefined;
}
