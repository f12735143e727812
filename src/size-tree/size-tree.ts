import { joinPath } from '../core/remote-path.ts';
import { NameStore } from './name-store.ts';
import type { NewNode, NodeId } from './node.ts';
import { NodeColumns } from './node-columns.ts';
import { type Figures, NOTHING } from './node-figures.ts';
import { nodesBelow } from './nodes-below.ts';
import { PartialDirs } from './partial-dirs.ts';

const NONE = -1;
const [IS_DIR, IS_GONE, HAS_UNKNOWN_SIZE, TIME_IS_OLD, IS_LISTED] = [1, 2, 4, 8, 16];

/** The files and directories of a scan in flat arrays, 50 bytes and the name for each. Sums follow every change. */
export class SizeTree {
  readonly #at = new NodeColumns();
  #nodes = 0;
  #dirs = 0;
  #version = 0;
  readonly #names = new NameStore();
  readonly #errors = new Map<NodeId, string>();
  readonly #partial = new PartialDirs();

  constructor() {
    this.addRoot();
  }

  /** Nodes ever added, including deleted ones. */
  get nodes(): number {
    return this.#nodes;
  }

  /** Directories below the root that are there. */
  get dirs(): number {
    return this.#dirs;
  }

  /** Changes with every change of the tree. */
  get version(): number {
    return this.#version;
  }

  /** Bytes that all arrays take. */
  get memory(): number {
    return this.#at.memory + this.#names.memory;
  }

  /** The names, for fast access to many of them. */
  get names(): Readonly<Pick<NameStore, 'bytes' | 'start' | 'end' | 'compare'>> {
    return this.#names;
  }

  /** Adds a directory outside the tree: the target of a rescan until it replaces the old one. */
  addRoot(): NodeId {
    return this.#append(NONE, { name: '', isDir: true, size: 0, timeMs: Number.NaN });
  }

  /** Adds nodes to a directory; they come first to last in its order, and their numbers are consecutive. */
  add(dir: NodeId, nodes: readonly NewNode[]): NodeId {
    const first = this.#nodes;
    let [size, files, unknown, unlisted, time] = [0, 0, 0, 0, Number.NEGATIVE_INFINITY];
    for (const node of nodes) {
      const id = this.#append(dir, node);
      this.#at.next[id] = this.#at.first[dir] as number;
      this.#at.first[dir] = id;
      if (node.timeMs > time) time = node.timeMs;
      if (node.isDir) unlisted++;
      else {
        files++;
        if (node.size >= 0) size += node.size;
        else unknown++;
      }
    }
    if (this.isThere(dir)) this.#dirs += unlisted;
    this.#roll(dir, { ...NOTHING, size, files, unknown, unlisted });
    if (time > Number.NEGATIVE_INFINITY) this.#rollTime(dir, time);
    return first;
  }

  /** Adds to the sizes of a directory and all above it bytes that belong to no node; may be negative. */
  addSize(dir: NodeId, size: number): void {
    for (let at = dir; at !== NONE; at = this.#at.parent[at] as number) {
      this.#at.size[at] = (this.#at.size[at] as number) + size;
    }
    this.#version++;
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
    for (const parent of parents) this.#relink(parent);
  }

  /** Replaces the content of a directory, and its failures, with those of `from`, which is in no other. */
  replaceContents(dir: NodeId, from: NodeId): void {
    this.remove(this.children(dir));
    this.setListed(dir, this.#has(from, IS_LISTED));
    this.setListed(from);
    const figures = this.#figures(from);
    this.#at.first[dir] = this.#at.first[from] as number;
    for (let at = this.#at.first[dir] as number; at !== NONE; at = this.#at.next[at] as number) {
      this.#at.parent[at] = dir;
    }
    this.#at.first[from] = NONE;
    this.#partial.replace(dir, from);
    const own = this.#errors.get(from);
    this.setError(dir, undefined);
    this.setError(from, undefined);
    this.#roll(dir, { ...figures, failed: figures.failed - (own === undefined ? 0 : 1) });
    if (own !== undefined) this.setError(dir, own);
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
    this.#version++;
  }

  /** Sets whether the entries of a directory itself are complete. */
  setListed(dir: NodeId, isListed = true): void {
    if (this.#has(dir, IS_LISTED) === isListed) return;
    this.#setFlag(dir, IS_LISTED, isListed);
    this.#roll(dir, { ...NOTHING, unlisted: isListed ? -1 : 1 });
  }

  /** Sets whether everything below a directory comes in one listing that has not ended. */
  setPartial(dir: NodeId, isPartial: boolean): void {
    this.#partial.set(dir, isPartial);
    this.#version++;
  }

  /** Whether the entries of a directory itself are complete. */
  isListed(dir: NodeId): boolean {
    return this.#has(dir, IS_LISTED) && !this.#partial.has(dir, (node) => this.parent(node));
  }

  /** Whether everything below a directory is complete, as far as it could be listed. */
  isWhole(dir: NodeId): boolean {
    return this.#unlisted(dir) === 0 && !this.#partial.has(dir, (node) => this.parent(node));
  }

  /** Why a directory could not be listed. */
  errorOf(dir: NodeId): string | undefined {
    return this.#errors.get(dir);
  }

  /** The directories that could not be listed. */
  failures(): IterableIterator<[NodeId, string]> {
    return this.#errors.entries();
  }

  /** -1 for a root. */
  parent(node: NodeId): NodeId {
    return this.#at.parent[node] ?? NONE;
  }

  isDir(node: NodeId): boolean {
    return this.#has(node, IS_DIR);
  }

  /** Whether neither the node nor anything above it was deleted. */
  isThere(node: NodeId): boolean {
    for (let at = node; at !== NONE; at = this.parent(at)) {
      if (at >= this.#nodes || this.#has(at, IS_GONE)) return false;
    }
    return true;
  }

  /** In bytes, of a directory the sum of the known sizes. */
  size(node: NodeId): number {
    return this.#at.size[node] ?? 0;
  }

  /** Whether the size of this file is unknown. */
  isSizeUnknown(node: NodeId): boolean {
    return this.#has(node, HAS_UNKNOWN_SIZE);
  }

  /** Files below a directory; 1 for a file. */
  files(node: NodeId): number {
    return this.#at.files[node] ?? 0;
  }

  /** Files of unknown size below a directory. */
  unknown(node: NodeId): number {
    return this.#at.unknown[node] ?? 0;
  }

  /** Directories that could not be listed, including itself. */
  failed(node: NodeId): number {
    return this.#at.failed[node] ?? 0;
  }

  /** Mean size of the files of known size. */
  average(node: NodeId): number {
    const known = this.files(node) - this.unknown(node);
    return known === 0 ? 0 : this.size(node) / known;
  }

  /** When it was modified, of a directory also the newest below it; milliseconds since the epoch, `NaN` unknown. */
  timeMs(node: NodeId): number {
    if (this.#has(node, TIME_IS_OLD)) this.#findTime(node);
    return this.#at.time[node] ?? Number.NaN;
  }

  name(node: NodeId): string {
    return this.#names.text(node);
  }

  /** The path below the root; `''` of a root. */
  path(node: NodeId): string {
    const parent = this.parent(node);
    return parent === NONE ? '' : joinPath(this.path(parent), this.name(node));
  }

  /** The number of entries of a directory itself. */
  childCount(dir: NodeId): number {
    let count = 0;
    for (let at = this.#at.first[dir] as number; at !== NONE; at = this.#at.next[at] as number)
      count++;
    return count;
  }

  /** The entries of a directory itself, in the order of addition. */
  children(dir: NodeId): Int32Array {
    const found = new Int32Array(this.childCount(dir));
    let place = found.length;
    for (let at = this.#at.first[dir] as number; at !== NONE; at = this.#at.next[at] as number) {
      found[--place] = at;
    }
    return found;
  }

  #unlisted(node: NodeId): number {
    return this.#at.unlisted[node] ?? 0;
  }

  #has(node: NodeId, flag: number): boolean {
    return ((this.#at.flags[node] ?? 0) & flag) !== 0;
  }

  #setFlag(node: NodeId, flag: number, on: boolean): void {
    const flags = this.#at.flags[node] ?? 0;
    this.#at.flags[node] = on ? flags | flag : flags & ~flag;
  }

  #figures(node: NodeId): Figures {
    const [size, files, unknown] = [this.size(node), this.files(node), this.unknown(node)];
    return { size, files, unknown, failed: this.failed(node), unlisted: this.#unlisted(node) };
  }

  #append(parent: NodeId, { name, isDir, size, timeMs }: NewNode): NodeId {
    const id = this.#nodes;
    this.#at.reach(id);
    this.#names.add(name);
    this.#at.parent[id] = parent;
    this.#at.first[id] = NONE;
    this.#at.next[id] = NONE;
    this.#at.size[id] = isDir ? 0 : Math.max(0, size);
    this.#at.time[id] = timeMs;
    this.#at.files[id] = isDir ? 0 : 1;
    this.#at.unlisted[id] = isDir ? 1 : 0;
    this.#at.unknown[id] = !isDir && size < 0 ? 1 : 0;
    this.#at.flags[id] = (isDir ? IS_DIR : 0) | (!isDir && size < 0 ? HAS_UNKNOWN_SIZE : 0);
    this.#nodes++;
    return id;
  }

  /** What comes late into a deleted directory stays in it. */
  #roll(dir: NodeId, by: Figures, sign = 1): void {
    for (let at = dir; at !== NONE; at = this.#at.parent[at] as number) {
      this.#at.size[at] = (this.#at.size[at] as number) + sign * by.size;
      this.#at.files[at] = (this.#at.files[at] as number) + sign * by.files;
      this.#at.unknown[at] = (this.#at.unknown[at] as number) + sign * by.unknown;
      this.#at.failed[at] = (this.#at.failed[at] as number) + sign * by.failed;
      this.#at.unlisted[at] = (this.#at.unlisted[at] as number) + sign * by.unlisted;
      if (this.#has(at, IS_GONE)) break;
    }
    this.#version++;
  }

  #rollTime(dir: NodeId, timeMs: number): void {
    for (let at = dir; at !== NONE; at = this.#at.parent[at] as number) {
      if ((this.#at.time[at] as number) >= timeMs) return;
      this.#at.time[at] = timeMs;
    }
  }

  #takeOut(node: NodeId, parent: NodeId): void {
    this.#roll(parent, this.#figures(node), -1);
    this.#setFlag(node, IS_GONE, true);
    this.#setTimeOld(parent);
    if (!this.isDir(node)) return;
    for (const below of nodesBelow(this, node)) {
      if (this.isDir(below)) this.#dirs--;
      this.#errors.delete(below);
    }
  }

  #setTimeOld(dir: NodeId): void {
    for (let at = dir; at !== NONE; at = this.#at.parent[at] as number)
      this.#setFlag(at, TIME_IS_OLD, true);
  }

  /** A directory's own time is not kept separately: the remaining entries decide. */
  #findTime(dir: NodeId): void {
    this.#setFlag(dir, TIME_IS_OLD, false);
    let newest = Number.NaN;
    for (let at = this.#at.first[dir] as number; at !== NONE; at = this.#at.next[at] as number) {
      const time = this.timeMs(at);
      if (!(newest >= time)) newest = time;
    }
    this.#at.time[dir] = newest;
  }

  #relink(dir: NodeId): void {
    let last = NONE;
    for (let at = this.#at.first[dir] as number; at !== NONE; at = this.#at.next[at] as number) {
      if (this.#has(at, IS_GONE)) continue;
      if (last === NONE) this.#at.first[dir] = at;
      else this.#at.next[last] = at;
      last = at;
    }
    if (last === NONE) this.#at.first[dir] = NONE;
    else this.#at.next[last] = NONE;
  }
}
