import type { DiskUsage, UsageRows } from '../core/entry-details.ts';
import { joinPath } from '../core/remote-path.ts';
import { DiskFigures, growAll, KeptFigures, NameStore } from './columns.ts';
import { type NewNode, type NodeId, nodesBelow, type ScanMark } from './node.ts';
import { type Figures, NONE, NOTHING, NodeFigures, nodeFlags } from './node-figures.ts';

/** The files and directories of a scan in flat arrays: 30 bytes (on a disk 46) and the name for each. */
export class SizeTree extends NodeFigures {
  /** Directories below the root that are there. */
  dirs = 0;
  /** Entries that were left out of the scan, and files that could not be read. */
  readonly marks = new Map<NodeId, ScanMark>();
  readonly #names = new NameStore();
  readonly #errors = new Map<NodeId, string>();
  /** Directories that are incomplete because one listing of all below them has not ended, or has failed. */
  readonly #partial = new Set<NodeId>();
  /** Listed by themselves since, below one that may be partial. */
  readonly #relisted = new Set<NodeId>();
  #slots = 0;
  readonly #excluded = new Set<NodeId>();

  constructor() {
    super();
    this.addRoot();
  }

  /** The entries that are left out of the sums of all directories above them. */
  get excluded(): ReadonlySet<NodeId> {
    return this.#excluded;
  }

  /** Leaves an entry out of the sums of all directories above it, or counts it again. */
  setExcluded(node: NodeId, isExcluded: boolean): void {
    const parent = this.parent(node);
    if (this.isExcluded(node) === isExcluded || parent === NONE || !this.isThere(node)) return;
    const linked = this.#linkedBelow(node);
    for (const one of linked) this.#countLink(one, -1);
    if (!this.isLinked(node)) this.#roll(parent, this.figures(node), isExcluded ? -1 : 1);
    this.setFlag(node, nodeFlags.isExcluded, isExcluded);
    if (isExcluded) this.#excluded.add(node);
    else this.#excluded.delete(node);
    for (const one of this.#linkedBelow(node)) this.#countLink(one, 1);
    this.version++;
  }

  /** Sets the disk usage of a directory by itself: for the root of a scan, which is in no listing. */
  setOwnUsage(dir: NodeId, usage: Pick<DiskUsage, 'bytes' | 'size' | 'inode' | 'device'>): void {
    const disk = this.#withDisk();
    if (this.#deviceOf(dir, []) !== usage.device) disk.setDevice(dir, usage.device);
    this.#roll(dir, { ...NOTHING, ...disk.setOwn(dir, this.at.slot[dir] as number, usage) });
  }

  /** Whether a directory is on another disk than the one it is in. */
  beginsDisk(dir: NodeId): boolean {
    return this.disk?.ownDevice(dir) !== undefined && this.parent(dir) !== NONE;
  }

  #append(parent: NodeId, isDir: boolean, size: number, timeMs: number): NodeId {
    const id = this.nodes;
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
    this.nodes++;
    return id;
  }

  #withDisk(): DiskFigures {
    if (this.disk === undefined) {
      this.disk = new DiskFigures();
      this.disk.reach(this.nodes, this.#slots);
    }
    return this.disk;
  }

  /** The device of a directory, or of the first entry if that is unknown; `undefined` without a disk. */
  #deviceOf(dir: NodeId, entries: readonly NewNode[]): bigint | undefined {
    const known = this.disk?.device(dir, (node) => this.parent(node));
    const first = entries[0]?.usage;
    if (known !== undefined || first === undefined) return known;
    this.#withDisk().setDevice(dir, first.device);
    return first.device;
  }

  /** Sets the disk usage of a node by itself; not the sums of directories. */
  #addUsage(id: NodeId, usage: DiskUsage, dirDevice: bigint | undefined): void {
    const disk = this.#withDisk();
    const { bytes, inode, device, links } = usage;
    disk.bytes[id] = bytes;
    disk.inode[id] = inode;
    if (dirDevice !== device) disk.setDevice(id, device);
    if (usage.isSpecial) this.setFlag(id, nodeFlags.isSpecial, true);
    if (this.isDir(id)) this.#setOwn(id, usage);
    else if (links !== 1) this.#setLinks(id, device, inode, links);
  }

  /** Sets what a new directory takes by itself. */
  #setOwn(id: NodeId, usage: Pick<DiskUsage, 'bytes' | 'size' | 'inode'>): void {
    const disk = this.#withDisk();
    const slot = this.at.slot[id] as number;
    disk.setOwn(id, slot, usage);
    disk.extra[slot] = usage.size;
  }

  /** Sets that a new file has several names. */
  #setLinks(id: NodeId, device: bigint, inode: bigint, links: number): void {
    this.setFlag(id, nodeFlags.isLinked, true);
    this.at.slot[id] = this.#withDisk().links.numberOf(device, inode, links);
  }

  /** Adds a file with several names to its directory and all above it, its blocks once to each; or takes it off. */
  #countLink(node: NodeId, by: 1 | -1): void {
    const disk = this.disk as DiskFigures;
    const number = this.at.slot[node] as number;
    const figures = this.figures(node);
    let at = this.parent(node);
    this.#roll(at, figures, by);
    while (at !== NONE && disk.links.count(number, at, by)) {
      at = this.has(at, nodeFlags.isApart) ? NONE : this.parent(at);
    }
    const twice = { ...NOTHING, disk: figures.disk, extra: figures.size };
    if (at !== NONE) this.#roll(at, twice, -by);
  }

  /** What comes into a deleted or excluded directory stays in it. */
  #roll(dir: NodeId, by: Figures, sign = 1): void {
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
    this.version++;
  }

  /** The files with several names below a directory that are counted. */
  #linkedBelow(dir: NodeId): readonly NodeId[] {
    if (this.disk?.links.isEmpty !== false) return [];
    return [...this.#thereBelow(dir)].filter(
      (node) => this.isLinked(node) && !this.isExcluded(node),
    );
  }

  /** The node and all below it that was not deleted. */
  #thereBelow(node: NodeId): Generator<NodeId> {
    return nodesBelow(this, node, (at) => this.has(at, nodeFlags.isGone));
  }

  /** The names, for fast access to many of them. */
  get names(): Readonly<Pick<NameStore, 'bytes' | 'starts' | 'start' | 'end' | 'compare'>> {
    return this.#names;
  }

  /** Adds a directory outside the tree: the target of a rescan until it replaces the old one. */
  addRoot(): NodeId {
    this.#names.add('');
    return this.#append(NONE, true, 0, Number.NaN);
  }

  /** Adds nodes to a directory; they come first to last in its order, and their numbers are consecutive. */
  add(dir: NodeId, nodes: readonly NewNode[]): NodeId {
    const first = this.nodes;
    const linked: NodeId[] = [];
    let [size, files, unknown, unlisted, time] = [0, 0, 0, 0, Number.NEGATIVE_INFINITY];
    let [disk, extra, old, uploads] = [0, 0, 0, 0];
    const device = this.#deviceOf(dir, nodes);
    for (const node of nodes) {
      const id = this.#append(dir, node.isDir, node.size, node.timeMs);
      this.#names.add(node.name);
      this.#link(dir, id);
      if (node.timeMs > time) time = node.timeMs;
      if (node.usage !== undefined) this.#addUsage(id, node.usage, device);
      if (node.tier !== undefined || node.hashes !== undefined) this.objects.set(id, node);
      if (node.kept !== undefined) {
        this.kept ??= new KeptFigures();
        this.kept.reach(id);
        this.at.slot[id] = this.kept.set(id, node.kept, this.size(id));
        const sums = this.keptSums(id);
        old += sums.old;
        uploads += sums.uploads;
      }
      if (node.isDir) {
        unlisted++;
        extra += node.usage?.size ?? 0;
      } else if (this.isLinked(id)) {
        linked.push(id);
        continue;
      } else {
        files++;
        if (node.size >= 0) size += node.size;
        else unknown++;
      }
      disk += node.usage?.bytes ?? 0;
    }
    if (this.isThere(dir)) this.dirs += unlisted;
    this.#roll(dir, { ...NOTHING, size, files, unknown, unlisted, disk, extra, old, uploads });
    for (const id of linked) this.#countLink(id, 1);
    if (time > Number.NEGATIVE_INFINITY) this.#rollTime(dir, time);
    return first;
  }

  /** The same for a whole directory of a disk. */
  addRows(dir: NodeId, rows: UsageRows): NodeId {
    const first = this.nodes;
    const linked: NodeId[] = [];
    let [size, files, unlisted, time, disk, extra] = [0, 0, 0, Number.NEGATIVE_INFINITY, 0, 0];
    const { order } = rows;
    if (order.length === 0) return first;
    const figures = this.#withDisk();
    const known = figures.device(dir, (node) => this.parent(node));
    if (known === undefined) figures.setDevice(dir, rows.device);
    const ofFirst = known === undefined || known === rows.device ? undefined : rows.device;
    for (let at = 0; at < order.length; at++) {
      const row = order[at] as number;
      const isDir = rows.isDir(row);
      const ownSize = rows.size(row);
      const ownTime = rows.timeMs(row);
      const id = this.#append(dir, isDir, ownSize, ownTime);
      this.#names.addBytes(rows.names, rows.starts[row] as number, rows.ends[row] as number);
      this.#link(dir, id);
      if (ownTime > time) time = ownTime;
      const bytes = rows.bytes(row);
      figures.bytes[id] = bytes;
      rows.copyInode(row, figures.inode, id);
      const other = rows.otherDevice(row) ?? ofFirst;
      if (other !== undefined && other !== known) figures.setDevice(id, other);
      if (rows.isSpecial(row)) this.setFlag(id, nodeFlags.isSpecial, true);
      if (isDir) {
        this.#setOwn(id, { bytes, size: ownSize, inode: figures.inode[id] as bigint });
        unlisted++;
        extra += ownSize;
      } else if (rows.links(row) === 1) {
        files++;
        size += ownSize;
      } else {
        const inode = figures.inode[id] as bigint;
        this.#setLinks(id, other ?? known ?? rows.device, inode, rows.links(row));
        linked.push(id);
        continue;
      }
      disk += bytes;
    }
    if (this.isThere(dir)) this.dirs += unlisted;
    this.#roll(dir, { ...NOTHING, size, files, unlisted, disk, extra });
    for (const id of linked) this.#countLink(id, 1);
    this.#rollTime(dir, time);
    return first;
  }

  #link(dir: NodeId, id: NodeId): void {
    const slot = this.at.slot[dir] as number;
    this.at.next[id] = this.dirAt.first[slot] as number;
    this.dirAt.first[slot] = id;
  }

  /** Deletes nodes with all below them. Ignores those already deleted. */
  remove(nodes: Iterable<NodeId>): void {
    const parents = new Set<NodeId>();
    for (const node of nodes) {
      const parent = this.parent(node);
      if (parent === NONE || !this.isThere(node)) continue;
      parents.add(parent);
      this.#takeOut(node, parent);
    }
    for (const parent of parents) {
      let last = NONE;
      for (let at = this.first(parent); at !== NONE; at = this.at.next[at] as number) {
        if (this.has(at, nodeFlags.isGone)) continue;
        if (last === NONE) this.dirAt.first[this.at.slot[parent] as number] = at;
        else this.at.next[last] = at;
        last = at;
      }
      if (last === NONE) this.dirAt.first[this.at.slot[parent] as number] = NONE;
      else this.at.next[last] = NONE;
    }
  }

  /** Replaces the content of a directory, and its failures, with those of `from`, which is in no other. */
  replaceContents(dir: NodeId, from: NodeId): void {
    this.remove(this.children(dir));
    this.setListed(dir, this.has(from, nodeFlags.isListed));
    this.setListed(from);
    const linked = this.#linkedBelow(from);
    for (const node of linked) this.#countLink(node, -1);
    const usage = this.ownUsage(from);
    if (usage?.device !== undefined) {
      this.setOwnUsage(dir, { ...usage, device: usage.device });
      this.setOwnUsage(from, { ...usage, device: usage.device, bytes: 0, size: 0 });
    }
    const figures = this.figures(from);
    this.dirAt.first[this.at.slot[dir] as number] = this.first(from);
    for (let at = this.first(dir); at !== NONE; at = this.at.next[at] as number) {
      this.at.parent[at] = dir;
    }
    this.dirAt.first[this.at.slot[from] as number] = NONE;
    this.#relisted.add(dir);
    this.setPartial(dir, this.#partial.delete(from));
    const own = this.#errors.get(from);
    this.setError(dir, undefined);
    this.setError(from, undefined);
    this.#roll(dir, { ...figures, failed: figures.failed - (own === undefined ? 0 : 1) });
    if (own !== undefined) this.setError(dir, own);
    for (const node of linked) this.#countLink(node, 1);
    this.#setTimeOld(dir);
  }

  /** Sets why a directory could not be listed, or that it could. */
  setError(dir: NodeId, message: string | undefined): void {
    if (!this.isThere(dir)) return;
    const had = this.#errors.has(dir);
    if (message === undefined) this.#errors.delete(dir);
    else this.#errors.set(dir, message);
    const failed = (message === undefined ? 0 : 1) - (had ? 1 : 0);
    if (failed !== 0) this.#roll(dir, { ...NOTHING, failed });
    this.version++;
  }

  setListed(dir: NodeId, isListed = true): void {
    if (this.has(dir, nodeFlags.isListed) === isListed) return;
    this.setFlag(dir, nodeFlags.isListed, isListed);
    this.#roll(dir, { ...NOTHING, unlisted: isListed ? -1 : 1 });
  }

  /** Sets whether everything below a directory comes in one listing that has not ended. */
  setPartial(dir: NodeId, isPartial: boolean): void {
    if (isPartial) this.#partial.add(dir);
    else this.#partial.delete(dir);
    this.version++;
  }

  /** Whether the entries of a directory itself are complete. */
  isListed(dir: NodeId): boolean {
    return this.has(dir, nodeFlags.isListed) && !this.#isPartial(dir);
  }

  /** Whether everything below a directory is complete, as far as it could be listed. */
  isWhole(dir: NodeId): boolean {
    return this.unlisted(dir) === 0 && !this.#isPartial(dir);
  }

  #isPartial(dir: NodeId): boolean {
    if (this.#partial.size === 0) return false;
    for (let at = dir; at !== NONE; at = this.parent(at)) {
      if (this.#partial.has(at)) return true;
      if (this.#relisted.has(at)) return false;
    }
    return false;
  }

  errorOf(dir: NodeId): string | undefined {
    return this.#errors.get(dir);
  }

  failures(): IterableIterator<[NodeId, string]> {
    return this.#errors.entries();
  }

  /** When it was modified, of a directory also the newest below it; milliseconds since the epoch, `NaN` unknown. */
  timeMs(node: NodeId): number {
    if (this.has(node, nodeFlags.timeIsOld)) this.#findTime(node);
    return this.at.time[node] ?? Number.NaN;
  }

  rename(node: NodeId, name: string): void {
    this.#names.rename(node, name);
    this.version++;
  }

  name(node: NodeId): string {
    return this.#names.text(node);
  }

  /** The path below the root; `''` of a root. */
  path(node: NodeId): string {
    const parent = this.parent(node);
    return parent === NONE ? '' : joinPath(this.path(parent), this.name(node));
  }

  #rollTime(dir: NodeId, timeMs: number): void {
    for (let at = dir; at !== NONE; at = this.at.parent[at] as number) {
      if ((this.at.time[at] as number) >= timeMs) return;
      this.at.time[at] = timeMs;
    }
  }

  #takeOut(node: NodeId, parent: NodeId): void {
    for (const below of this.#thereBelow(node)) {
      if (this.isLinked(below) && !this.isExcluded(below)) this.#countLink(below, -1);
      if (below !== node) this.#excluded.delete(below);
      this.marks.delete(below);
      if (this.isDir(below)) {
        this.dirs--;
        this.#errors.delete(below);
      }
    }
    const wasExcluded = this.#excluded.delete(node);
    if (!this.isLinked(node) && !wasExcluded) this.#roll(parent, this.figures(node), -1);
    this.setFlag(node, nodeFlags.isGone, true);
    this.#setTimeOld(parent);
  }

  #setTimeOld(dir: NodeId): void {
    for (let at = dir; at !== NONE; at = this.at.parent[at] as number)
      this.setFlag(at, nodeFlags.timeIsOld, true);
  }

  /** A directory's own time is not kept separately: the remaining entries decide. */
  #findTime(dir: NodeId): void {
    this.setFlag(dir, nodeFlags.timeIsOld, false);
    let newest = Number.NaN;
    for (let at = this.first(dir); at !== NONE; at = this.at.next[at] as number) {
      const time = this.timeMs(at);
      if (!(newest >= time)) newest = time;
    }
    this.at.time[dir] = newest;
  }
}
