import type { DiskUsage, Kept } from '../core/entry-details.ts';
import { DiskFigures } from './disk-figures.ts';
import { growAll } from './grown.ts';
import { KeptFigures } from './kept-figures.ts';
import type { NewNode, NodeId } from './node.ts';
import { type Figures, NONE, NOTHING, NodeFigures, nodeFlags } from './node-figures.ts';

/** The nodes of a tree, with sums that follow every change. */
export class NodeSums extends NodeFigures {
  #slots = 0;
  protected readonly excludedNodes = new Set<NodeId>();

  /** The entries that are left out of the sums of all directories above them. */
  get excluded(): ReadonlySet<NodeId> {
    return this.excludedNodes;
  }

  /** Leaves an entry out of the sums of all directories above it, or counts it again. */
  setExcluded(node: NodeId, isExcluded: boolean): void {
    const parent = this.parent(node);
    if (this.isExcluded(node) === isExcluded || parent === NONE || !this.isThere(node)) return;
    const linked = this.linkedBelow(node);
    for (const one of linked) this.countLink(one, -1);
    if (!this.isLinked(node)) this.roll(parent, this.figures(node), isExcluded ? -1 : 1);
    this.setFlag(node, nodeFlags.isExcluded, isExcluded);
    if (isExcluded) this.excludedNodes.add(node);
    else this.excludedNodes.delete(node);
    for (const one of this.linkedBelow(node)) this.countLink(one, 1);
    this.changes++;
  }

  /** Sets the disk usage of a directory by itself: for the root of a scan, which is in no listing. */
  setOwnUsage(dir: NodeId, usage: Pick<DiskUsage, 'bytes' | 'size' | 'inode' | 'device'>): void {
    const disk = this.#withDisk();
    if (this.deviceOf(dir, []) !== usage.device) disk.setDevice(dir, usage.device);
    this.roll(dir, { ...NOTHING, ...disk.setOwn(dir, this.at.slot[dir] as number, usage) });
  }

  /** Whether a directory is on another disk than the one it is in. */
  beginsDisk(dir: NodeId): boolean {
    return this.disk?.ownDevice(dir) !== undefined && this.parent(dir) !== NONE;
  }

  protected append(parent: NodeId, { isDir, size, timeMs }: Omit<NewNode, 'name'>): NodeId {
    const id = this.count;
    if (id >= this.at.parent.length) growAll(this.at, id);
    this.at.parent[id] = parent;
    this.at.next[id] = NONE;
    this.at.size[id] = isDir ? 0 : Math.max(0, size);
    this.at.time[id] = timeMs;
    this.at.flags[id] =
      (isDir ? nodeFlags.isDir : 0) | (!isDir && size < 0 ? nodeFlags.hasUnknownSize : 0);
    if (isDir) {
      const slot = this.#slots++;
      if (slot >= this.dirAt.first.length) growAll(this.dirAt, slot);
      this.at.slot[id] = slot;
      this.dirAt.first[slot] = NONE;
      this.dirAt.unlisted[slot] = 1;
    }
    this.disk?.reach(id, this.#slots);
    this.kept?.reach(id);
    this.count++;
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
      this.disk.reach(this.count, this.#slots);
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

  /** The files with several names below a directory that are counted. */
  protected linkedBelow(dir: NodeId): readonly NodeId[] {
    if (this.disk?.links.isEmpty !== false) return [];
    return [...this.thereBelow(dir)].filter(
      (node) => this.isLinked(node) && !this.isExcluded(node),
    );
  }

  /** The node and all below it that was not deleted. */
  protected *thereBelow(node: NodeId): Generator<NodeId> {
    const pending = [node];
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      if (this.has(at, nodeFlags.isGone)) continue;
      yield at;
      if (this.isDir(at)) for (const child of this.children(at)) pending.push(child);
    }
  }
}
