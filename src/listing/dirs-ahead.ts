import { readPages } from '../core/list-dir.ts';
import type { Entry, Page } from '../core/remote.ts';
import type { Walk } from './kept-entries.ts';
import { collectedByName, nameSorted } from './name-sorted.ts';

/** A directory still to be walked. */
export interface PendingDir {
  readonly path: string;
  /** The root's entries have depth 1. */
  readonly depth: number;
  /** Its first page, if requested ahead. */
  first?: Promise<Page>;
}

/** First pages that are kept for later. */
const MOST_AHEAD = 64;

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
      if (this.#underWay >= atOnce || this.#ahead >= MOST_AHEAD) return;
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
