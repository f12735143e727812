import { bytesOf, grown, nextLength } from './grown.ts';

const FIRST_LENGTH = 64;

/** The figures of all nodes, an array for each kind; a node is its place in them. */
export class NodeColumns {
  parent = new Int32Array(FIRST_LENGTH);
  /** The node added to the directory before this one. */
  next = new Int32Array(FIRST_LENGTH);
  /** The place of a directory in `DirColumns`; the number of a file with several names in `HardLinks`. */
  slot = new Int32Array(FIRST_LENGTH);
  size = new Float64Array(FIRST_LENGTH);
  time = new Float64Array(FIRST_LENGTH);
  flags = new Uint8Array(FIRST_LENGTH);

  /** Bytes this takes. */
  get memory(): number {
    return bytesOf(this.parent, this.next, this.slot, this.size, this.time, this.flags);
  }

  /** Makes room for node `id`. */
  reach(id: number): void {
    if (id < this.parent.length) return;
    const length = nextLength(id);
    this.parent = grown(this.parent, length);
    this.next = grown(this.next, length);
    this.slot = grown(this.slot, length);
    this.size = grown(this.size, length);
    this.time = grown(this.time, length);
    this.flags = grown(this.flags, length);
  }
}

/** What only directories have, at the places that `NodeColumns.slot` gives. */
export class DirColumns {
  /** The node added last; those before it follow by `NodeColumns.next`. */
  first = new Int32Array(FIRST_LENGTH);
  files = new Uint32Array(FIRST_LENGTH);
  unknown = new Uint32Array(FIRST_LENGTH);
  failed = new Uint32Array(FIRST_LENGTH);
  unlisted = new Uint32Array(FIRST_LENGTH);

  /** Bytes this takes. */
  get memory(): number {
    return bytesOf(this.first, this.files, this.unknown, this.failed, this.unlisted);
  }

  /** Makes room for the directory at `slot`. */
  reach(slot: number): void {
    if (slot < this.first.length) return;
    const length = nextLength(slot);
    this.first = grown(this.first, length);
    this.files = grown(this.files, length);
    this.unknown = grown(this.unknown, length);
    this.failed = grown(this.failed, length);
    this.unlisted = grown(this.unlisted, length);
  }
}
