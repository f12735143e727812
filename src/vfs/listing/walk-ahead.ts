import { mapAtOnce } from '../../core/map-at-once.ts';
import { type DirNode, type Node, pathOf } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';
import type { Listings } from './listings.ts';

/** How many listings run ahead in parallel. */
const AT_ONCE = 8;
/** How many directories ahead of the reader. */
const AHEAD = 16;
/** How many directories below the opened one are listed. */
const BELOW = 4;

/**
 * Lists directories ahead of programs that walk a tree: when two directories of one were opened, the next ones, and
 * the first ones in them.
 */
export class WalkAhead {
  readonly #vfs: VfsParts;
  readonly #listings: Listings;
  #running = 0;

  constructor(vfs: VfsParts, listings: Listings) {
    this.#vfs = vfs;
    this.#listings = listings;
  }

  /** A directory is being read; its listing is known. */
  opened(dir: DirNode): void {
    const { parent } = dir;
    if (parent === undefined || this.#vfs.remote.traits.onDisk) return;
    const { nodes } = parent.children.snapshot();
    const { dirs } = parent.listing.walk;
    if (dirs.saw() === 1) {
      dirs.startAfter(nodes, dir);
      return;
    }
    let below = 0;
    for (const node of dir.children.snapshot().nodes) {
      if (below >= BELOW || this.#running >= AT_ONCE) break;
      if (node.kind !== 'dir') continue;
      below++;
      this.#list(node);
    }
    while (this.#running < AT_ONCE) {
      const next = dirs.next(nodes, AHEAD);
      if (next === undefined) return;
      if (next.kind !== 'dir' || next.parent !== parent) continue;
      dirs.requested();
      this.#list(next);
    }
  }

  /**
   * Reads all directories, for `--vfs-refresh`. Stops at half of the limit of known files, beyond which older listings
   * would be discarded. Never rejects.
   */
  async all(): Promise<void> {
    const { tree, signal, nodeLimit, log } = this.#vfs;
    const listBelow = async (dir: DirNode): Promise<readonly Node[]> => {
      if (signal.aborted || tree.size > nodeLimit / 2) return [];
      try {
        await this.#listings.listAll(dir, { signal });
        return dir.children.snapshot().nodes;
      } catch (thrown) {
        if (!signal.aborted && tree.has(dir)) log('refresh', pathOf(dir), thrown);
        return [];
      }
    };
    for (let level = [tree.root]; level.length > 0; ) {
      const below = await mapAtOnce(level, AT_ONCE, listBelow);
      level = below.flat().filter((node) => node.kind === 'dir');
    }
  }

  #list(dir: DirNode): void {
    if (dir.listing.loading !== undefined || this.#listings.isFresh(dir)) return;
    this.#running++;
    const done = () => {
      this.#running--;
    };
    // The caller that reads this directory gets the error.
    this.#listings.listAll(dir, { signal: this.#vfs.signal }).then(done, done);
  }
}
