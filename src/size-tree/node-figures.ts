import type { Kept, KeptKind } from '../core/entry-details.ts';
import { type DiskFigures, type KeptFigures, ObjectFigures } from './columns.ts';
import type { NodeId } from './node.ts';

/** The parent of a root, and the end of a list of nodes. */
export const NONE = -1;

/** Bits of `NodeColumns.flags`. */
export const nodeFlags = {
  isDir: 1,
  isGone: 2,
  hasUnknownSize: 4,
  timeIsOld: 8,
  isListed: 16,
  isLinked: 32,
  isSpecial: 64,
  isExcluded: 128,
  /** Its figures are in no sum above it. */
  isApart: 130,
} as const;

/** The sums of directories: here of an empty one that was listed. */
export const NOTHING = {
  size: 0,
  files: 0,
  unknown: 0,
  failed: 0,
  /** Directories, including itself, that were not listed to their end. */
  unlisted: 0,
  /** Bytes of blocks on a disk; files with several names once. */
  disk: 0,
  /** What the apparent size has more than the size: directories themselves, less the further names of files. */
  extra: 0,
  /** Bytes of old versions, and of unfinished uploads; both are part of `size`. */
  old: 0,
  uploads: 0,
};

/** Sums of a directory, or those of its own of a file. */
export type Figures = Readonly<typeof NOTHING>;

/** The nodes of a tree in flat arrays, and what is read of them. */
export class NodeFigures {
  protected readonly at = new NodeColumns();
  protected readonly dirAt = new DirColumns();
  protected disk: DiskFigures | undefined;
  protected kept: KeptFigures | undefined;
  readonly objects = new ObjectFigures();
  /** Nodes ever added, including deleted ones. */
  nodes = 0;
  /** Changes with every change of the tree. */
  version = 0;

  get hasDisk(): boolean {
    return this.disk !== undefined;
  }

  /** Whether the tree holds old versions and unfinished uploads, too. */
  get hasKept(): boolean {
    return this.kept !== undefined;
  }

  /** Whether this is the current file, an old version, or something else; `undefined` of directories. */
  keptKind(node: NodeId): KeptKind | undefined {
    return this.kept?.kind(node);
  }

  /** Whether this is neither an old version nor an unfinished upload. */
  isCurrent(node: NodeId): boolean {
    return (this.keptKind(node) ?? 'current') === 'current';
  }

  /** As the server names it; `undefined` of directories. */
  keptAs(node: NodeId): Kept | undefined {
    const kind = this.keptKind(node);
    if (kind === undefined) return undefined;
    return { kind, id: this.kept?.id(this.at.slot[node] as number) ?? '' };
  }

  /** What of `size` is not current. */
  keptSums(node: NodeId): { readonly old: number; readonly uploads: number } {
    return { old: this.kept?.old[node] ?? 0, uploads: this.kept?.uploads[node] ?? 0 };
  }

  /** The parents of all nodes, for fast access to many of them; longer than there are nodes. */
  get parents(): Int32Array {
    return this.at.parent;
  }

  /** -1 for a root. */
  parent(node: NodeId): NodeId {
    return this.at.parent[node] ?? NONE;
  }

  isDir(node: NodeId): boolean {
    return this.has(node, nodeFlags.isDir);
  }

  /** Whether the node itself was deleted, or its entries are out of the tree by now. */
  isGone(node: NodeId): boolean {
    return this.has(node, nodeFlags.isGone);
  }

  /** Whether neither the node nor anything above it was deleted. */
  isThere(node: NodeId): boolean {
    for (let at = node; at !== NONE; at = this.parent(at)) {
      if (at >= this.nodes || this.has(at, nodeFlags.isGone)) return false;
    }
    return true;
  }

  /** Whether the entry itself is left out of the sums above it. */
  isExcluded(node: NodeId): boolean {
    return this.has(node, nodeFlags.isExcluded);
  }

  /** In bytes, as a copy has it: of a directory the sum of the known sizes. */
  size(node: NodeId): number {
    return this.at.size[node] ?? 0;
  }

  /** Blocks on the disk, in bytes: with those of directories, and of files with several names once. */
  diskUsage(node: NodeId): number {
    return this.disk === undefined ? this.size(node) : (this.disk.bytes[node] ?? 0);
  }

  /** As `diskUsage`, by length and not by blocks. */
  apparentSize(node: NodeId): number {
    if (this.disk === undefined || !this.isDir(node)) return this.size(node);
    return this.size(node) + (this.disk.extra[this.at.slot[node] as number] ?? 0);
  }

  /** The device of an entry where the directory has another one. */
  ownDevice(node: NodeId): bigint | undefined {
    return this.disk?.ownDevice(node);
  }

  /** As a number, exact up to `MAX_SAFE_INTEGER`: a `bigint` for each node takes time. */
  inodeNumber(node: NodeId): number {
    return this.disk?.inodeNumber(node) ?? 0;
  }

  /** 0 if it is unknown. */
  inode(node: NodeId): bigint {
    return this.disk?.inode[node] ?? 0n;
  }

  /** Disk usage of an entry by itself, its device only if the directory has another one; `undefined` if it is unknown. */
  ownUsage(node: NodeId) {
    const disk = this.disk;
    if (disk === undefined) return undefined;
    const slot = this.at.slot[node] as number;
    const [size, bytes] = this.isDir(node)
      ? [disk.ownSize[slot] ?? 0, disk.ownBytes[slot] ?? 0]
      : [this.size(node), disk.bytes[node] ?? 0];
    const links = this.isLinked(node) ? disk.links.names(slot) : 1;
    const inode = this.inode(node);
    return {
      size,
      bytes,
      inode,
      device: this.ownDevice(node),
      links,
      isSpecial: this.isSpecial(node),
    };
  }

  /** Whether the file has several names (hard links). */
  isLinked(node: NodeId): boolean {
    return this.has(node, nodeFlags.isLinked);
  }

  /** The number of a file with several names, the same for each of them; `undefined` for all else. */
  linkNumber(node: NodeId): number | undefined {
    return this.isLinked(node) ? this.at.slot[node] : undefined;
  }

  /** Neither a file nor a directory. */
  isSpecial(node: NodeId): boolean {
    return this.has(node, nodeFlags.isSpecial);
  }

  isSizeUnknown(node: NodeId): boolean {
    return this.has(node, nodeFlags.hasUnknownSize);
  }

  /** Files below a directory; 1 for a file. */
  files(node: NodeId): number {
    return this.isDir(node) ? (this.dirAt.files[this.at.slot[node] as number] as number) : 1;
  }

  /** Files of unknown size below a directory; 1 for such a file. */
  unknown(node: NodeId): number {
    if (!this.isDir(node)) return this.isSizeUnknown(node) ? 1 : 0;
    return this.dirAt.unknown[this.at.slot[node] as number] as number;
  }

  /** Directories that could not be listed, including itself. */
  failed(node: NodeId): number {
    return this.isDir(node) ? (this.dirAt.failed[this.at.slot[node] as number] as number) : 0;
  }

  /** Mean size of the files of known size. */
  average(node: NodeId): number {
    const known = this.files(node) - this.unknown(node);
    return known === 0 ? 0 : this.size(node) / known;
  }

  /** The number of entries of a directory itself. */
  childCount(dir: NodeId): number {
    let count = 0;
    for (let at = this.first(dir); at !== NONE; at = this.at.next[at] as number) count++;
    return count;
  }

  /** The entries of a directory itself, in the order of addition. */
  children(dir: NodeId): Int32Array {
    const found = new Int32Array(this.childCount(dir));
    let place = found.length;
    for (let at = this.first(dir); at !== NONE; at = this.at.next[at] as number) {
      found[--place] = at;
    }
    return found;
  }

  protected unlisted(node: NodeId): number {
    return this.isDir(node) ? (this.dirAt.unlisted[this.at.slot[node] as number] as number) : 0;
  }

  protected first(dir: NodeId): NodeId {
    return this.isDir(dir) ? (this.dirAt.first[this.at.slot[dir] as number] as number) : NONE;
  }

  protected has(node: NodeId, flag: number): boolean {
    return ((this.at.flags[node] ?? 0) & flag) !== 0;
  }

  protected setFlag(node: NodeId, flag: number, on: boolean): void {
    const flags = this.at.flags[node] ?? 0;
    this.at.flags[node] = on ? flags | flag : flags & ~flag;
  }

  protected figures(node: NodeId): Figures {
    return {
      size: this.size(node),
      files: this.files(node),
      unknown: this.unknown(node),
      failed: this.failed(node),
      unlisted: this.unlisted(node),
      disk: this.disk?.bytes[node] ?? 0,
      extra: this.apparentSize(node) - this.size(node),
      ...this.keptSums(node),
    };
  }
}

const FIRST_LENGTH = 64;

/** The figures of all nodes, an array for each kind; a node is its place in them. */
class NodeColumns {
  parent = new Int32Array(FIRST_LENGTH);
  /** The node added to the directory before this one. */
  next = new Int32Array(FIRST_LENGTH);
  /** The place of a directory in `DirColumns`; the number of a file with several names in `HardLinks`. */
  slot = new Int32Array(FIRST_LENGTH);
  size = new Float64Array(FIRST_LENGTH);
  time = new Float64Array(FIRST_LENGTH);
  flags = new Uint8Array(FIRST_LENGTH);
}

/** What only directories have, at the places that `NodeColumns.slot` gives. */
class DirColumns {
  /** The node added last; those before it follow by `NodeColumns.next`. */
  first = new Int32Array(FIRST_LENGTH);
  files = new Uint32Array(FIRST_LENGTH);
  unknown = new Uint32Array(FIRST_LENGTH);
  failed = new Uint32Array(FIRST_LENGTH);
  unlisted = new Uint32Array(FIRST_LENGTH);
}
