import { grown, nextLength } from './grown.ts';

const FIRST_LENGTH = 64;

/** The figures of all nodes, an array for each kind; a node is its place in them. */
export class NodeColumns {
  parent = new Int32Array(FIRST_LENGTH);
  /** The node added last to a directory; those before it follow by `next`. */
  first = new Int32Array(FIRST_LENGTH);
  next = new Int32Array(FIRST_LENGTH);
  size = new Float64Array(FIRST_LENGTH);
  time = new Float64Array(FIRST_LENGTH);
  files = new Uint32Array(FIRST_LENGTH);
  unknown = new Uint32Array(FIRST_LENGTH);
  failed = new Uint32Array(FIRST_LENGTH);
  unlisted = new Uint32Array(FIRST_LENGTH);
  flags = new Uint8Array(FIRST_LENGTH);

  /** Bytes this takes. */
  get memory(): number {
    const wide = [this.parent, this.first, this.next, this.size, this.time];
    const counts = [this.files, this.unknown, this.failed, this.unlisted, this.flags];
    return [...wide, ...counts].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** Makes room for node `id`. */
  reach(id: number): void {
    if (id < this.parent.length) return;
    const length = nextLength(id);
    this.parent = grown(this.parent, length);
    this.first = grown(this.first, length);
    this.next = grown(this.next, length);
    this.size = grown(this.size, length);
    this.time = grown(this.time, length);
    this.files = grown(this.files, length);
    this.unknown = grown(this.unknown, length);
    this.failed = grown(this.failed, length);
    this.unlisted = grown(this.unlisted, length);
    this.flags = grown(this.flags, length);
  }
}
