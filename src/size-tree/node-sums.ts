import type { DiskUsage, Kept, KeptKind } from '../core/entry-details.ts';
import { DiskFigures } from './disk-figures.ts';
import { KeptFigures, type KeptSums } from './kept-figures.ts';
import type { NewNode, NodeId } from './node.ts';
import { DirColumns, NodeColumns } from './node-columns.ts';
import { type Figures, NOTHING } from './node-figures.ts';
import { nodeFlags } from './node-flags.ts';
import { ObjectFigures } from './object-figures.ts';

/** The parent of a root, and the end of a list of nodes. */
export const NONE = -1;

/** Disk usage of an entry by itself; its device only if the directory has another one. */
type OwnUsage = Omit<DiskUsage, 'device'> & { readonly device: bigint | undefined };

/** The nodes of a tree in flat arrays, with sums that follow every change. */
export class NodeSums {
  protected readonly at = new NodeColumns();
  protected readonly dirAt = new DirColumns();
  protected disk: DiskFigures | undefined;
  protected kept: KeptFigures | undefined;
  readonly objects = new ObjectFigures();
  protected changes = 0;
  #slots = 0;
  #nodes = 0;

  /** Nodes ever added, including deleted ones. */
  get nodes(): number {
    return this.#nodes;
  }

  /** Changes with every change of the tree. */
  get version(): number {
    return this.changes;
  }

  /** Whether entries have a disk usage. */
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

  /** As the server names it; `undefined` of directories. */
  keptAs(node: NodeId): Kept | undefined {
    const kind = this.keptKind(node);
    if (kind === undefined) return undefined;
    return { kind, id: this.kept?.id(this.at.slot[node] as number) ?? '' };
  }

  /** What of `size` is not current. */
  keptSums(node: NodeId): KeptSums {
    return { old: this.kept?.old[node] ?? 0, uploads: this.kept?.uploads[node] ?? 0 };
  }

  /** Sets the disk usage of a directory by itself: for the root of a scan, which is in no listing. */
  setOwnUsage(dir: NodeId, usage: Pick<DiskUsage, 'bytes' | 'size' | 'inode' | 'device'>): void {
    const disk = this.#withDisk();
    if (this.deviceOf(dir, []) !== usage.device) disk.setDevice(dir, usage.device);
    this.roll(dir, { ...NOTHING, ...disk.setOwn(dir, this.at.slot[dir] as number, usage) });
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

  /** Disk usage of an entry by itself; `undefined` if it is unknown. */
  ownUsage(node: NodeId): OwnUsage | undefined {
    const disk = this.disk;
    if (disk === undefined) return undefined;
    const slot = this.at.slot[node] as number;
    const [size, bytes] = this.isDir(node)
      ? [disk.ownSize[slot] ?? 0, disk.ownBytes[slot] ?? 0]
      : [this.size(node), disk.bytes[node] ?? 0];
    const links = this.isLinked(node) ? disk.links.names(slot) : 1;
    const inode = disk.inode[node] ?? 0n;
    return {
      size,
      bytes,
      inode,
      device: disk.ownDevice(node),
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

  /** Whether the size of this file is unknown. */
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
    const [size, files, unknown] = [this.size(node), this.files(node), this.unknown(node)];
    const disk = this.disk?.bytes[node] ?? 0;
    const extra = this.apparentSize(node) - size;
    return {
      ...{ size, files, unknown, disk, extra, ...this.keptSums(node) },
      ...{ failed: this.failed(node), unlisted: this.unlisted(node) },
    };
  }

  protected append(parent: NodeId, { isDir, size, timeMs }: Omit<NewNode, 'name'>): NodeId {
    const id = this.#nodes;
    this.at.reach(id);
    this.at.parent[id] = parent;
    this.at.next[id] = NONE;
    this.at.size[id] = isDir ? 0 : Math.max(0, size);
    this.at.time[id] = timeMs;
    this.at.flags[id] =
      (isDir ? nodeFlags.isDir : 0) | (!isDir && size < 0 ? nodeFlags.hasUnknownSize : 0);
    if (isDir) {
      const slot = this.#slots++;
      this.dirAt.reach(slot);
      this.at.slot[id] = slot;
      this.dirAt.first[slot] = NONE;
      this.dirAt.unlisted[slot] = 1;
    }
    this.disk?.reach(id, this.#slots);
    this.kept?.reach(id);
    this.#nodes++;
    return id;
  }

  /** Sets which of several things under one path a new file is; not the sums of directories. */
  protected addKept(id: NodeId, kept: Kept): void {
    this.kept ??= new KeptFigures();
    this.kept.reach(id);
    this.at.slot[id] = this.kept.set(id, kept, this.size(id));
  }

  #withDisk(): DiskFigures {
    if (this.disk === undefined) {
      this.disk = new DiskFigures();
      this.disk.reach(this.#nodes, this.#slots);
    }
    return this.disk;
  }

  /** The device of a directory, or of the first entry if that is unknown; `undefined` without a disk. */
  protected deviceOf(dir: NodeId, entries: readonly NewNode[]): bigint | undefined {
    const known = this.disk?.device(dir, (node) => this.parent(node));
    const first = entries[0]?.usage;
    if (known !== undefined || first === undefined) return known;
    this.#withDisk().setDevice(dir, first.device);
    return first.device;
  }

  /** Sets the disk usage of a node by itself; not the sums of directories. */
  protected addUsage(id: NodeId, usage: DiskUsage, dirDevice: bigint | undefined): void {
    const disk = this.#withDisk();
    const { bytes, inode, device, links } = usage;
    disk.bytes[id] = bytes;
    disk.inode[id] = inode;
    if (dirDevice !== device) disk.setDevice(id, device);
    if (usage.isSpecial) this.setFlag(id, nodeFlags.isSpecial, true);
    if (this.isDir(id)) {
      const slot = this.at.slot[id] as number;
      disk.setOwn(id, slot, usage);
      disk.extra[slot] = usage.size;
    } else if (links !== 1) {
      this.setFlag(id, nodeFlags.isLinked, true);
      this.at.slot[id] = disk.links.numberOf(device, inode, links);
    }
  }

  /** Adds a file with several names to its directory and all above it, its blocks once to each; or takes it off. */
  protected countLink(node: NodeId, by: 1 | -1): void {
    const disk = this.disk as DiskFigures;
    const number = this.at.slot[node] as number;
    const figures = this.figures(node);
    let at = this.parent(node);
    this.roll(at, figures, by);
    while (at !== NONE && disk.links.count(number, at, by)) {
      at = this.has(at, nodeFlags.isApart) ? NONE : this.parent(at);
    }
    const twice = { ...NOTHING, disk: figures.disk, extra: figures.size };
    if (at !== NONE) this.roll(at, twice, -by);
  }

  /** Moves the disk usage of `from` by itself to `dir`. */
  protected moveOwnUsage(dir: NodeId, from: NodeId): void {
    const own = this.ownUsage(from);
    if (own?.device === undefined) return;
    this.setOwnUsage(dir, { ...own, device: own.device });
    this.setOwnUsage(from, { ...own, device: own.device, bytes: 0, size: 0 });
  }

  /** What comes into a deleted or excluded directory stays in it. */
  protected roll(dir: NodeId, by: Figures, sign = 1): void {
    const { parent, size, slot } = this.at;
    const { files, unknown, failed, unlisted } = this.dirAt;
    const { disk, kept } = this;
    for (let at = dir; at !== NONE; at = parent[at] as number) {
      const place = slot[at] as number;
      size[at] = (size[at] as number) + sign * by.size;
      files[place] = (files[place] as number) + sign * by.files;
      unknown[place] = (unknown[place] as number) + sign * by.unknown;
      failed[place] = (failed[place] as number) + sign * by.failed;
      unlisted[place] = (unlisted[place] as number) + sign * by.unlisted;
      if (disk !== undefined) {
        disk.bytes[at] = (disk.bytes[at] as number) + sign * by.disk;
        disk.extra[place] = (disk.extra[place] as number) + sign * by.extra;
      }
      if (kept !== undefined) {
        kept.old[at] = (kept.old[at] as number) + sign * by.old;
        kept.uploads[at] = (kept.uploads[at] as number) + sign * by.uploads;
      }
      if (this.has(at, nodeFlags.isApart)) break;
    }
    this.changes++;
  }
}
