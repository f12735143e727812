import { attributesOf, knowsTime } from '../attributes/attributes-of.ts';
import type { ListedEntry } from '../mount-ops.ts';
import { type DirNode, type Snapshot, snapshotOf } from '../tree/node.ts';
import type { VfsParts } from '../vfs-parts.ts';

/** How many entries one call returns. */
const BATCH = 256;

/** An open directory: a snapshot, so that positions stay stable. */
export class DirHandle {
  readonly dir: DirNode;
  readonly #vfs: VfsParts;
  #snapshot: Snapshot | undefined;

  constructor(vfs: VfsParts, dir: DirNode) {
    this.#vfs = vfs;
    this.dir = dir;
  }

  /** Whether anything was read yet. */
  get wasRead(): boolean {
    return this.#snapshot !== undefined;
  }

  /** Entries from a position on; at 0, of a new snapshot. Deleted ones are skipped. */
  read(from: number): readonly ListedEntry[] {
    if (from === 0 || this.#snapshot === undefined) this.#snapshot = snapshotOf(this.dir);
    const { names, nodes } = this.#snapshot;
    const entries: ListedEntry[] = [];
    for (let i = from; i < nodes.length && entries.length < BATCH; i++) {
      const [name, node] = [names[i], nodes[i]];
      if (name === undefined || node === undefined) break;
      if (node.parent !== this.dir || node.name !== name) continue;
      const attributes = attributesOf(this.#vfs, node);
      const next = i + 1;
      const isRough = !knowsTime(this.#vfs, node);
      entries.push(isRough ? { name, attributes, next, isRough } : { name, attributes, next });
    }
    return entries;
  }
}
