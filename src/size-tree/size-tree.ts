import { joinPath } from '../core/remote-path.ts';
import { NameStore } from './name-store.ts';
import type { NewNode, NodeId } from './node.ts';
import { NONE, NOTHING, nodeFlags } from './node-figures.ts';
import { NodeSums } from './node-sums.ts';

/** The files and directories of a scan in flat arrays: 30 bytes (on a disk 46) and the name for each. */
export class SizeTree extends NodeSums {
  #dirs = 0;
  readonly #names = new NameStore();
  readonly #errors = new Map<NodeId, string>();
  readonly #partial = new PartialDirs();

  constructor() {
    super();
    this.addRoot();
  }

  /** Directories below the root that are there. */
  get dirs(): number {
    return this.#dirs;
  }

  /** The names, for fast access to many of them. */
  get names(): Readonly<Pick<NameStore, 'bytes' | 'starts' | 'start' | 'end' | 'compare'>> {
    return this.#names;
  }

  /** Adds a directory outside the tree: the target of a rescan until it replaces the old one. */
  addRoot(): NodeId {
    this.#names.add('');
    return this.append(NONE, { isDir: true, size: 0, timeMs: Number.NaN });
  }

  /** Adds nodes to a directory; they come first to last in its order, and their numbers are consecutive. */
  add(dir: NodeId, nodes: readonly NewNode[]): NodeId {
    const first = this.nodes;
    const linked: NodeId[] = [];
    let [size, files, unknown, unlisted, time] = [0, 0, 0, 0, Number.NEGATIVE_INFINITY];
    let [disk, extra, old, uploads] = [0, 0, 0, 0];
    const device = this.deviceOf(dir, nodes);
    for (const node of nodes) {
      const id = this.append(dir, node);
      this.#names.add(node.name);
      this.at.next[id] = this.first(dir);
      this.dirAt.first[this.at.slot[dir] as number] = id;
      if (node.timeMs > time) time = node.timeMs;
      if (node.usage !== undefined) this.addUsage(id, node.usage, device);
      if (node.tier !== undefined || node.hashes !== undefined) this.objects.set(id, node);
      if (node.kept !== undefined) {
        this.addKept(id, node.kept);
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
    if (this.isThere(dir)) this.#dirs += unlisted;
    this.roll(dir, { ...NOTHING, size, files, unknown, unlisted, disk, extra, old, uploads });
    for (const id of linked) this.countLink(id, 1);
    if (time > Number.NEGATIVE_INFINITY) this.#rollTime(dir, time);
    return first;
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
    this.setListed(dir, this.has(from, nodeFlags.isListed));
    this.setListed(from);
    const linked = this.linkedBelow(from);
    for (const node of linked) this.countLink(node, -1);
    this.moveOwnUsage(dir, from);
    const figures = this.figures(from);
    this.dirAt.first[this.at.slot[dir] as number] = this.first(from);
    for (let at = this.first(dir); at !== NONE; at = this.at.next[at] as number) {
      this.at.parent[at] = dir;
    }
    this.dirAt.first[this.at.slot[from] as number] = NONE;
    this.#partial.replace(dir, from);
    const own = this.#errors.get(from);
    this.setError(dir, undefined);
    this.setError(from, undefined);
    this.roll(dir, { ...figures, failed: figures.failed - (own === undefined ? 0 : 1) });
    if (own !== undefined) this.setError(dir, own);
    for (const node of linked) this.countLink(node, 1);
    this.#setTimeOld(dir);
  }

  /** Sets why a directory could not be listed, or that it could. */
  setError(dir: NodeId, message: string | undefined): void {
    if (!this.isThere(dir)) return;
    const had = this.#errors.has(dir);
    if (message === undefined) this.#errors.delete(dir);
    else this.#errors.set(dir, message);
    const failed = (message === undefined ? 0 : 1) - (had ? 1 : 0);
    if (failed !== 0) this.roll(dir, { ...NOTHING, failed });
    this.changes++;
  }

  /** Sets whether the entries of a directory itself are complete. */
  setListed(dir: NodeId, isListed = true): void {
    if (this.has(dir, nodeFlags.isListed) === isListed) return;
    this.setFlag(dir, nodeFlags.isListed, isListed);
    this.roll(dir, { ...NOTHING, unlisted: isListed ? -1 : 1 });
  }

  /** Sets whether everything below a directory comes in one listing that has not ended. */
  setPartial(dir: NodeId, isPartial: boolean): void {
    this.#partial.set(dir, isPartial);
    this.changes++;
  }

  /** Whether the entries of a directory itself are complete. */
  isListed(dir: NodeId): boolean {
    return (
      this.has(dir, nodeFlags.isListed) && !this.#partial.has(dir, (node) => this.parent(node))
    );
  }

  /** Whether everything below a directory is complete, as far as it could be listed. */
  isWhole(dir: NodeId): boolean {
    return this.unlisted(dir) === 0 && !this.#partial.has(dir, (node) => this.parent(node));
  }

  /** Why a directory could not be listed. */
  errorOf(dir: NodeId): string | undefined {
    return this.#errors.get(dir);
  }

  /** The directories that could not be listed. */
  failures(): IterableIterator<[NodeId, string]> {
    return this.#errors.entries();
  }

  /** When it was modified, of a directory also the newest below it; milliseconds since the epoch, `NaN` unknown. */
  timeMs(node: NodeId): number {
    if (this.has(node, nodeFlags.timeIsOld)) this.#findTime(node);
    return this.at.time[node] ?? Number.NaN;
  }

  /** Gives an entry another name in its directory. */
  rename(node: NodeId, name: string): void {
    this.#names.rename(node, name);
    this.changes++;
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
    for (const below of this.thereBelow(node)) {
      if (this.isLinked(below) && !this.isExcluded(below)) this.countLink(below, -1);
      if (below !== node) this.excludedNodes.delete(below);
      if (this.isDir(below)) {
        this.#dirs--;
        this.#errors.delete(below);
      }
    }
    const wasExcluded = this.excludedNodes.delete(node);
    if (!this.isLinked(node) && !wasExcluded) this.roll(parent, this.figures(node), -1);
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

  #relink(dir: NodeId): void {
    let last = NONE;
    for (let at = this.first(dir); at !== NONE; at = this.at.next[at] as number) {
      if (this.has(at, nodeFlags.isGone)) continue;
      if (last === NONE) this.dirAt.first[this.at.slot[dir] as number] = at;
      else this.at.next[last] = at;
      last = at;
    }
    if (last === NONE) this.dirAt.first[this.at.slot[dir] as number] = NONE;
    else this.at.next[last] = NONE;
  }
}

/** Directories that are incomplete because one listing of everything below them has not ended, or has failed. */
class PartialDirs {
  readonly #partial = new Set<NodeId>();
  /** Listed by themselves since, below one that may be partial. */
  readonly #whole = new Set<NodeId>();

  set(dir: NodeId, isPartial: boolean): void {
    if (isPartial) this.#partial.add(dir);
    else this.#partial.delete(dir);
  }

  /** A directory was listed again, as `from`. */
  replace(dir: NodeId, from: NodeId): void {
    this.#whole.add(dir);
    this.set(dir, this.#partial.delete(from));
  }

  has(dir: NodeId, parentOf: (dir: NodeId) => NodeId): boolean {
    if (this.#partial.size === 0) return false;
    for (let at = dir; at !== -1; at = parentOf(at)) {
      if (this.#partial.has(at)) return true;
      if (this.#whole.has(at)) return false;
    }
    return false;
  }
}
