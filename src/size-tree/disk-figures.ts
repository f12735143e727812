import { endianness } from 'node:os';
import type { DiskUsage } from '../core/entry-details.ts';
import { grown, nextLength } from './columns.ts';
import type { NodeId } from './node.ts';

/** Which half of an inode is the low one on this machine. */
const LOW = endianness() === 'LE' ? 0 : 1;

/** What a tree of a disk has besides sizes. Numbers of devices stand only where another one begins. */
export class DiskFigures {
  readonly links = new HardLinks();
  /** Bytes of blocks; of a directory with all below it. */
  bytes = new Float64Array(64);
  inode = new BigUint64Array(64);
  /** The same in halves. */
  #halves = new Uint32Array(this.inode.buffer);
  /** At the places of `DirColumns`: what the apparent size has more than the size. */
  extra = new Float64Array(64);
  /** At the places of `DirColumns`: the directory by itself. */
  ownSize = new Float64Array(64);
  ownBytes = new Float64Array(64);
  readonly #devices = new Map<NodeId, bigint>();

  /** Makes room for a node, and for the directory at `slot`. */
  reach(id: NodeId, slot: number): void {
    if (id >= this.bytes.length) {
      const length = nextLength(id);
      this.bytes = grown(this.bytes, length);
      this.inode = grown(this.inode, length);
      this.#halves = new Uint32Array(this.inode.buffer);
    }
    if (slot >= this.extra.length) {
      const length = nextLength(slot);
      this.extra = grown(this.extra, length);
      this.ownSize = grown(this.ownSize, length);
      this.ownBytes = grown(this.ownBytes, length);
    }
  }

  inodeNumber(node: NodeId): number {
    if (node >= this.inode.length) return 0;
    const [low, high] = [this.#halves[2 * node + LOW], this.#halves[2 * node + 1 - LOW]];
    return (high as number) * 2 ** 32 + (low as number);
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

  device(node: NodeId, parentOf: (node: NodeId) => NodeId): bigint | undefined {
    for (let at = node; at !== -1; at = parentOf(at)) {
      const device = this.#devices.get(at);
      if (device !== undefined) return device;
    }
    return undefined;
  }
}

/** Names are counted for files by number and directories by node: pairs of both are the keys. */
const DIRS = 2 ** 28;

/** Files with several names: how often each directory holds one, so that it counts it once, as ncdu does. */
class HardLinks {
  readonly #numbers = new Map<string, number>();
  #names: number[] = [];
  /** A table of pairs; 0 is none. A pair that is no longer counted stays until the table grows. */
  #keys = new Float64Array(256);
  #counts = new Uint32Array(256);
  #taken = 0;

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  /** The number of a file; `names`: how many the system counts (0: several). */
  numberOf(device: bigint, inode: bigint, names: number): number {
    const key = `${device}:${inode}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#names.push(names) - 1;
    this.#numbers.set(key, number);
    return number;
  }

  /** How many names the file has, also outside of the tree; 0: several. */
  names(number: number): number {
    return this.#names[number] ?? 0;
  }

  /** One name more in a directory or in one below it, or one less; whether it was the first, or the last. */
  count(number: number, dir: number, by: 1 | -1): boolean {
    if (this.#taken * 2 >= this.#keys.length) this.#grow();
    const at = this.#place((number + 1) * DIRS + dir);
    if (this.#keys[at] === 0) {
      this.#keys[at] = (number + 1) * DIRS + dir;
      this.#taken++;
    }
    const before = this.#counts[at] as number;
    this.#counts[at] = before + by;
    return by === 1 ? before === 0 : before === 1;
  }

  #place(key: number): number {
    const mask = this.#keys.length - 1;
    let at = Math.imul((key % DIRS) ^ Math.imul(key / DIRS, 0x9e3779b1), 0x85ebca6b);
    at = (at ^ (at >>> 15)) & mask;
    while (this.#keys[at] !== 0 && this.#keys[at] !== key) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const [keys, counts] = [this.#keys, this.#counts];
    const counted = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
    const length = counted * 4 >= keys.length ? keys.length * 2 : keys.length;
    this.#keys = new Float64Array(length);
    this.#counts = new Uint32Array(length);
    this.#taken = counted;
    for (let from = 0; from < keys.length; from++) {
      if (counts[from] === 0) continue;
      const at = this.#place(keys[from] as number);
      this.#keys[at] = keys[from] as number;
      this.#counts[at] = counts[from] as number;
    }
  }
}
