import { endianness } from 'node:os';
import type { DiskUsage, Kept, KeptKind } from '../core/entry-details.ts';
import { nameFromBytes, nameToBytes } from '../core/name-bytes.ts';
import type { NewNode, NodeId } from './node.ts';

/** The names of all nodes, one after the other in one growing array of bytes. */
export class NameStore {
  /** All names; `start` and `end` are the place of one. */
  bytes = Buffer.alloc(1024);
  /** Where each name begins, and the last one ends. */
  starts = new Uint32Array(64);
  #count = 0;

  /** Adds the name of the next node. */
  add(name: string): void {
    const start = this.#reach(name.length * 3);
    const length = name.isWellFormed()
      ? this.bytes.write(name, start, 'utf8')
      : nameToBytes(name).copy(this.bytes, start);
    this.#count++;
    this.starts[this.#count] = start + length;
  }

  /** Adds the name of the next node, which is from `from` to `to` in other bytes. */
  addBytes(names: Uint8Array, from: number, to: number): void {
    let end = this.#reach(to - from);
    const bytes = this.bytes;
    // Names are short: a loop is faster than a copy.
    for (let at = from; at < to; at++) bytes[end++] = names[at] as number;
    this.#count++;
    this.starts[this.#count] = end;
  }

  /** Makes room for a name of `length` bytes at most; returns where it begins. */
  #reach(length: number): number {
    const start = this.starts[this.#count] as number;
    if (this.#count + 2 > this.starts.length) {
      this.starts = grown(this.starts, nextLength(this.starts.length));
    }
    const most = start + length;
    if (most > this.bytes.length) {
      const longer = Buffer.alloc(Math.max(most, nextLength(this.bytes.length)));
      this.bytes.copy(longer, 0, 0, start);
      this.bytes = longer;
    }
    return start;
  }

  /** Gives a node another name; all names behind it move. */
  rename(node: number, name: string): void {
    const bytes = nameToBytes(name);
    const [start, end] = [this.start(node), this.end(node)];
    const [head, tail] = [this.bytes.subarray(0, start), this.bytes.subarray(end)];
    this.bytes = Buffer.concat([head, bytes, tail]);
    const shift = bytes.length - (end - start);
    for (let at = node + 1; at <= this.#count; at++) this.starts[at] = this.end(at - 1) + shift;
  }

  start(node: number): number {
    return this.starts[node] ?? 0;
  }

  end(node: number): number {
    return this.starts[node + 1] ?? 0;
  }

  text(node: number): string {
    return nameFromBytes(this.bytes.subarray(this.start(node), this.end(node)));
  }

  /** @param others those that have `b` */
  compare(a: number, b: number, others: Pick<NameStore, 'bytes' | 'start' | 'end'> = this): number {
    const bytes = this.bytes;
    const otherBytes = others.bytes;
    let i = this.start(a);
    let j = others.start(b);
    const endA = this.end(a);
    const endB = others.end(b);
    while (i < endA && j < endB) {
      const difference = (bytes[i++] as number) - (otherBytes[j++] as number);
      if (difference !== 0) return difference;
    }
    return endA - i - (endB - j);
  }
}

/** Arrays with one figure of every node. */
type Column = Int32Array | Uint32Array | Uint8Array | Float64Array | BigUint64Array;

/** A longer array with the same start; the rest is 0. */
function grown<C extends Column>(column: C, length: number): C {
  const longer = new (column.constructor as new (length: number) => C)(length);
  longer.set(column as never);
  return longer;
}

/** The new length of an array that is too short: half as much again wastes a third at most. */
const nextLength = (length: number): number => Math.ceil(length * 1.5) + 64;

/** Makes room for place `id` in the arrays of an object, which are of one length. */
export function growAll<C extends { [Name in keyof C]: Column }>(columns: C, id: number): void {
  const length = nextLength(id);
  for (const name of Object.keys(columns) as (keyof C)[])
    columns[name] = grown(columns[name], length);
}

const KINDS = [undefined, 'current', 'old', 'marker', 'old-marker', 'upload'] as const;

/** What a tree has besides sizes that holds old versions and unfinished uploads. */
export class KeptFigures {
  /** Places in `KINDS`. */
  #kind = new Uint8Array(64);
  /** Of a directory with all below it. */
  old = new Float64Array(64);
  uploads = new Float64Array(64);
  readonly #ids = new NameStore();
  #count = 0;

  reach(id: NodeId): void {
    if (id < this.#kind.length) return;
    const length = nextLength(id);
    this.#kind = grown(this.#kind, length);
    this.old = grown(this.old, length);
    this.uploads = grown(this.uploads, length);
  }

  /** Returns the place of the name that the server has for it. */
  set(node: NodeId, { kind, id }: Kept, size: number): number {
    this.#kind[node] = KINDS.indexOf(kind);
    if (kind === 'old') this.old[node] = size;
    if (kind === 'upload') this.uploads[node] = size;
    this.#ids.add(id);
    return this.#count++;
  }

  kind(node: NodeId): KeptKind | undefined {
    return KINDS[this.#kind[node] ?? 0];
  }

  id(place: number): string {
    return this.#ids.text(place);
  }
}

const MOST_CLASSES = 255;

/** Storage classes and hashes of nodes; takes no memory where listings have none. */
export class ObjectFigures {
  readonly #classes: string[] = [''];
  #class = new Uint8Array(0);
  /** 40 bits of the hash of each node: of a million files of one size, hardly two that differ have the same. */
  #low = new Uint32Array(0);
  #high = new Uint8Array(0);

  /** The storage classes by their numbers; 0 is unknown. */
  get classes(): readonly string[] {
    return this.#classes;
  }

  set(node: number, { tier, hashes }: Pick<NewNode, 'tier' | 'hashes'>): void {
    let number = tier === undefined ? 0 : this.#classes.indexOf(tier);
    if (number < 0 && this.#classes.length <= MOST_CLASSES)
      number = this.#classes.push(tier as string) - 1;
    if (number > 0) {
      if (node >= this.#class.length) this.#class = grown(this.#class, nextLength(node));
      this.#class[node] = number;
    }
    const hash = hashes?.md5 ?? hashes?.sha1 ?? hashes?.quickxor ?? hashes?.sha256;
    if (hash === undefined) return;
    if (node >= this.#low.length) {
      this.#low = grown(this.#low, nextLength(node));
      this.#high = grown(this.#high, nextLength(node));
    }
    this.#low[node] = Number.parseInt(hash.slice(0, 8), 16) || 1;
    this.#high[node] = Number.parseInt(hash.slice(8, 10), 16);
  }

  classOf(node: number): number {
    return this.#class[node] ?? 0;
  }

  /** A number for its content, of the first 40 bits of its hash; 0 without one. */
  hashKey(node: number): number {
    return (this.#high[node] ?? 0) * 2 ** 32 + (this.#low[node] ?? 0);
  }
}

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
