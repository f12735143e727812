import type { DirEntry } from '../../core/remote.ts';
import { isWithin, leafName, parentPath } from '../../core/remote-path.ts';

/** How many are remembered; the oldest are forgotten. */
const MOST = 100_000;

/** Directories that clients created on a remote without empty directories, while the server runs. */
export class MadeDirs {
  readonly #paths = new Set<string>();

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  add(path: string): void {
    this.#paths.add(path);
    const [oldest] = this.#paths;
    if (this.#paths.size > MOST && oldest !== undefined) this.#paths.delete(oldest);
  }

  /** The directories directly in `dir`. */
  in(dir: string): DirEntry[] {
    const here = [...this.#paths].filter((path) => path !== '' && parentPath(path) === dir);
    return here.map((path) => ({ kind: 'dir', path }));
  }

  /** Forgets a directory and those below it. */
  remove(dir: string): void {
    for (const path of this.#paths) if (isWithin(dir, path)) this.#paths.delete(path);
  }

  /** Copies a directory and those below it to another name. */
  copy(from: string, to: string): void {
    for (const path of [...this.#paths]) {
      if (isWithin(from, path)) this.add(to + path.slice(from.length));
    }
  }
}

/** The entries of a listing and those that only the server knows, without repetition. */
export function withMade<E extends { readonly path: string }>(
  entries: readonly E[],
  made: readonly DirEntry[],
): (E | DirEntry)[] {
  if (made.length === 0) return [...entries];
  const names = new Set(entries.map(({ path }) => leafName(path)));
  return [...entries, ...made.filter(({ path }) => !names.has(leafName(path)))];
}
