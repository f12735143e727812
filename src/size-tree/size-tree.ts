import { joinPath } from '../core/remote-path.ts';
import { grown, nextLength } from './columns.ts';
import { NameStore } from './name-store.ts';
import type { NewNode, NodeId } from './node.ts';
import { nodesBelow } from './nodes-below.ts';
import { PartialDirs } from './partial-dirs.ts';

const NONE = -1;
const IS_DIR = 1;
const IS_GONE = 2;
const HAS_UNKNOWN_SIZE = 4;
const TIME_IS_OLD = 8;
const IS_LISTED = 16;

/**
 * The files and directories of a scan with their sizes, in flat arrays: some 50 bytes and the name for each. A directory's
 * figures are those of all below it, and follow every change at once.
 */
export class SizeTree {
  #parent = new Int32Array(64);
  #first = new Int32Array(64);
  #next = new Int32Array(64);
  #size = new Float64Array(64);
  #time = new Float64Array(64);
  #files = new Uint32Array(64);
  #unknown = new Uint32Array(64);
  #failed = new Uint32Array(64);
  #flags = new Uint8Array(64);
  #nodes = 0;
  #dirs = 0;
  #version = 0;
  readonly #names = new NameStore();
  readonly #errors = new Map<NodeId, string>();
  readonly #partial = new PartialDirs();

  constructor(rootName = '') {
    this.addRoot(rootName);
  }

  /** Nodes ever added, those that have gone among them. */
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
    const columns = [this.#parent, this.#first, this.#next, this.#size, this.#time];
    const more = [this.#files, this.#unknown, this.#failed, this.#flags];
    return [...columns, ...more].reduce(
      (sum, { byteLength }) => sum + byteLength,
      this.#names.memory,
    );
  }

  /** The names, for those who look at many of them. */
  get names(): Readonly<Pick<NameStore, 'bytes' | 'start' | 'end' | 'compare'>> {
    return this.#names;
  }

  /** Adds a directory that lies in no other: what is scanned anew, until it takes the place of the old. */
  addRoot(name = ''): NodeId {
    return this.#append(NONE, { name, isDir: true, size: 0, timeMs: Number.NaN });
  }

  /** Adds nodes to a directory; they are given first to last in its order, and their numbers follow each other. */
  add(dir: NodeId, nodes: readonly NewNode[]): NodeId {
    const first = this.#nodes;
    let [size, files, unknown, time] = [0, 0, 0, Number.NEGATIVE_INFINITY];
    for (const node of nodes) {
      const id = this.#append(dir, node);
      this.#next[id] = this.#first[dir] as number;
      this.#first[dir] = id;
      if (node.timeMs > time) time = node.timeMs;
      if (node.isDir) this.#dirs++;
      else {
        files++;
        if (node.size >= 0) size += node.size;
        else unknown++;
      }
    }
    this.#roll(dir, { size, files, unknown, failed: 0 });
    if (time > Number.NEGATIVE_INFINITY) this.#rollTime(dir, time);
    return first;
  }

  /** Adds to the sizes of a directory and all above it what no node of theirs tells; may be less than nothing. */
  addSize(dir: NodeId, size: number): void {
    for (let at = dir; at !== NONE; at = this.#parent[at] as number) {
      this.#size[at] = (this.#size[at] as number) + size;
    }
    this.#version++;
  }

  /** Takes nodes away with all below them. Those that have gone before do nothing. */
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

  /** A directory gets what `from`, which lies in no other, holds, instead of what it held; its failures too. */
  replaceContents(dir: NodeId, from: NodeId): void {
    this.remove(this.children(dir));
    const { size, files, unknown, failed } = this.#figures(from);
    this.#first[dir] = this.#first[from] as number;
    for (let at = this.#first[dir] as number; at !== NONE; at = this.#next[at] as number) {
      this.#parent[at] = dir;
    }
    this.#first[from] = NONE;
    this.#setFlag(dir, IS_LISTED, this.#has(from, IS_LISTED));
    this.#partial.replace(dir, from);
    const own = this.#errors.get(from);
    this.setError(dir, undefined);
    this.setError(from, undefined);
    this.#roll(dir, { size, files, unknown, failed: failed - (own === undefined ? 0 : 1) });
    if (own !== undefined) this.setError(dir, own);
    this.#setTimeOld(dir);
  }

  /** Says why a directory could not be listed, or that it could. */
  setError(dir: NodeId, message: string | undefined): void {
    const had = this.#errors.has(dir);
    if (message === undefined) this.#errors.delete(dir);
    else this.#errors.set(dir, message);
    const failed = (message === undefined ? 0 : 1) - (had ? 1 : 0);
    if (failed !== 0) this.#roll(dir, { size: 0, files: 0, unknown: 0, failed });
    this.#version++;
  }

  /** All that was to be listed of a directory itself has come. */
  setListed(dir: NodeId, isListed = true): void {
    this.#setFlag(dir, IS_LISTED, isListed);
    this.#version++;
  }

  /** All that lies below a directory comes in one listing, which has not ended. */
  setPartial(dir: NodeId, isPartial: boolean): void {
    this.#partial.set(dir, isPartial);
    this.#version++;
  }

  /** Whether all that a directory itself holds has come. */
  isListed(dir: NodeId): boolean {
    return this.#has(dir, IS_LISTED) && !this.#partial.has(dir, (node) => this.parent(node));
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
    return this.#parent[node] ?? NONE;
  }

  isDir(node: NodeId): boolean {
    return this.#has(node, IS_DIR);
  }

  /** Whether the node has not been taken away, nor anything above it. */
  isThere(node: NodeId): boolean {
    for (let at = node; at !== NONE; at = this.parent(at)) {
      if (at >= this.#nodes || this.#has(at, IS_GONE)) return false;
    }
    return true;
  }

  /** In bytes, of a directory the sum of the sizes that are known. */
  size(node: NodeId): number {
    return this.#size[node] ?? 0;
  }

  /** Whether the size of this file is not known. */
  isSizeUnknown(node: NodeId): boolean {
    return this.#has(node, HAS_UNKNOWN_SIZE);
  }

  /** Files below a directory; 1 for a file. */
  files(node: NodeId): number {
    return this.#files[node] ?? 0;
  }

  /** Files of unknown size below a directory. */
  unknown(node: NodeId): number {
    return this.#unknown[node] ?? 0;
  }

  /** Directories that could not be listed, this one and those below it. */
  failed(node: NodeId): number {
    return this.#failed[node] ?? 0;
  }

  /** Mean size of the files whose size is known. */
  average(node: NodeId): number {
    const known = this.files(node) - this.unknown(node);
    return known === 0 ? 0 : this.size(node) / known;
  }

  /** When it was modified, of a directory also the newest below it; milliseconds since the epoch, `NaN` unknown. */
  timeMs(node: NodeId): number {
    if (this.#has(node, TIME_IS_OLD)) this.#findTime(node);
    return this.#time[node] ?? Number.NaN;
  }

  name(node: NodeId): string {
    return this.#names.text(node);
  }

  /** The path below the root; `''` of a root. */
  path(node: NodeId): string {
    const parent = this.parent(node);
    return parent === NONE ? '' : joinPath(this.path(parent), this.name(node));
  }

  /** How many entries a directory itself holds. */
  childCount(dir: NodeId): number {
    let count = 0;
    for (let at = this.#first[dir] as number; at !== NONE; at = this.#next[at] as number) count++;
    return count;
  }

  /** What a directory itself holds, in the order in which it was added. */
  children(dir: NodeId): Int32Array {
    const found = new Int32Array(this.childCount(dir));
    let place = found.length;
    for (let at = this.#first[dir] as number; at !== NONE; at = this.#next[at] as number) {
      found[--place] = at;
    }
    return found;
  }

  #has(node: NodeId, flag: number): boolean {
    return ((this.#flags[node] ?? 0) & flag) !== 0;
  }

  #setFlag(node: NodeId, flag: number, on: boolean): void {
    const flags = this.#flags[node] ?? 0;
    this.#flags[node] = on ? flags | flag : flags & ~flag;
  }

  #figures(node: NodeId) {
    const [size, files] = [this.size(node), this.files(node)];
    return { size, files, unknown: this.unknown(node), failed: this.failed(node) };
  }

  #append(parent: NodeId, { name, isDir, size, timeMs }: NewNode): NodeId {
    const id = this.#nodes;
    if (id >= this.#parent.length) this.#grow(nextLength(id));
    this.#names.add(name);
    this.#parent[id] = parent;
    this.#first[id] = NONE;
    this.#next[id] = NONE;
    this.#size[id] = isDir ? 0 : Math.max(0, size);
    this.#time[id] = timeMs;
    this.#files[id] = isDir ? 0 : 1;
    this.#unknown[id] = !isDir && size < 0 ? 1 : 0;
    this.#flags[id] = (isDir ? IS_DIR : 0) | (!isDir && size < 0 ? HAS_UNKNOWN_SIZE : 0);
    this.#nodes++;
    return id;
  }

  #grow(length: number): void {
    this.#parent = grown(this.#parent, length);
    this.#first = grown(this.#first, length);
    this.#next = grown(this.#next, length);
    this.#size = grown(this.#size, length);
    this.#time = grown(this.#time, length);
    this.#files = grown(this.#files, length);
    this.#unknown = grown(this.#unknown, length);
    this.#failed = grown(this.#failed, length);
    this.#flags = grown(this.#flags, length);
  }

  #roll(dir: NodeId, by: { size: number; files: number; unknown: number; failed: number }): void {
    for (let at = dir; at !== NONE; at = this.#parent[at] as number) {
      this.#size[at] = (this.#size[at] as number) + by.size;
      this.#files[at] = (this.#files[at] as number) + by.files;
      this.#unknown[at] = (this.#unknown[at] as number) + by.unknown;
      this.#failed[at] = (this.#failed[at] as number) + by.failed;
    }
    this.#version++;
  }

  #rollTime(dir: NodeId, timeMs: number): void {
    for (let at = dir; at !== NONE; at = this.#parent[at] as number) {
      if ((this.#time[at] as number) >= timeMs) return;
      this.#time[at] = timeMs;
    }
  }

  #takeOut(node: NodeId, parent: NodeId): void {
    const { size, files, unknown, failed } = this.#figures(node);
    this.#roll(parent, { size: -size, files: -files, unknown: -unknown, failed: -failed });
    this.#setFlag(node, IS_GONE, true);
    this.#setTimeOld(parent);
    if (!this.isDir(node)) return;
    for (const below of nodesBelow(this, node)) {
      if (this.isDir(below)) this.#dirs--;
      this.#errors.delete(below);
    }
  }

  #setTimeOld(dir: NodeId): void {
    for (let at = dir; at !== NONE; at = this.#parent[at] as number)
      this.#setFlag(at, TIME_IS_OLD, true);
  }

  /** A directory's own time is not kept apart: what is left below decides. */
  #findTime(dir: NodeId): void {
    this.#setFlag(dir, TIME_IS_OLD, false);
    let newest = Number.NaN;
    for (let at = this.#first[dir] as number; at !== NONE; at = this.#next[at] as number) {
      const time = this.timeMs(at);
      if (!(newest >= time)) newest = time;
    }
    this.#time[dir] = newest;
  }

  #relink(dir: NodeId): void {
    let last = NONE;
    for (let at = this.#first[dir] as number; at !== NONE; at = this.#next[at] as number) {
      if (this.#has(at, IS_GONE)) continue;
      if (last === NONE) this.#first[dir] = at;
      else this.#next[last] = at;
      last = at;
    }
    if (last === NONE) this.#first[dir] = NONE;
    else this.#next[last] = NONE;
  }
}
