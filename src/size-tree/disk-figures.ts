import type { DiskUsage } from '../core/entry-details.ts';
import { bytesOf, grown, nextLength } from './grown.ts';
import { HardLinks } from './hard-links.ts';
import type { NodeId } from './node.ts';

/** What a tree of a disk has besides sizes. Numbers of devices stand only where another one begins. */
export class DiskFigures {
  readonly links = new HardLinks();
  /** Bytes of blocks; of a directory with all below it. */
  bytes = new Float64Array(64);
  inode = new BigUint64Array(64);
  /** At the places of `DirColumns`: what the apparent size has more than the size. */
  extra = new Float64Array(64);
  /** At the places of `DirColumns`: the directory by itself. */
  ownSize = new Float64Array(64);
  ownBytes = new Float64Array(64);
  readonly #devices = new Map<NodeId, bigint>();

  /** Bytes this takes. */
  get memory(): number {
    const { bytes, inode, extra, ownSize, ownBytes, links } = this;
    return bytesOf(bytes, inode, extra, ownSize, ownBytes) + links.memory;
  }

  /** Makes room for a node, and for the directory at `slot`. */
  reach(id: NodeId, slot: number): void {
    if (id >= this.bytes.length) {
      const length = nextLength(id);
      this.bytes = grown(this.bytes, length);
      this.inode = grown(this.inode, length);
    }
    if (slot >= this.extra.length) {
      const length = nextLength(slot);
      this.extra = grown(this.extra, length);
      this.ownSize = grown(this.ownSize, length);
      this.ownBytes = grown(this.ownBytes, length);
    }
  }

  /** The directory at `slot` by itself takes this; gives by how much more that is than before. */
  setOwn(dir: NodeId, slot: number, usage: Pick<DiskUsage, 'bytes' | 'size' | 'inode'>) {
    this.reach(dir, slot);
    const disk = usage.bytes - (this.ownBytes[slot] as number);
    const extra = usage.size - (this.ownSize[slot] as number);
    this.inode[dir] = usage.inode;
    this.ownBytes[slot] = usage.bytes;
    this.ownSize[slot] = usage.size;
    return { disk, extra };
  }

  setDevice(node: NodeId, device: bigint): void {
    this.#devices.set(node, device);
  }

  /** The device where it is another than that of the directory. */
  ownDevice(node: NodeId): bigint | undefined {
    return this.#devices.get(node);
  }

  /** The device of a node. */
  device(node: NodeId, parentOf: (node: NodeId) => NodeId): bigint | undefined {
    for (let at = node; at !== -1; at = parentOf(at)) {
      const device = this.#devices.get(at);
      if (device !== undefined) return device;
    }
    return undefined;
  }
}
