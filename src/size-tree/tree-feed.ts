import type { UsageRows } from '../core/entry-details.ts';
import { fnv1a } from '../core/fnv1a.ts';
import { type ModTime, modTimeToMs } from '../core/mod-time.ts';
import type { Entry } from '../core/remote.ts';
import { leafName } from '../core/remote-path.ts';
import { keptName, pathSegments } from './find-node.ts';
import type { NewNode, NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';

/** Finds directories by parent and name, in about eight bytes for each: no text is kept. */
class DirIndex {
  readonly #tree: SizeTree;
  #table = new Int32Array(256).fill(-1);
  #count = 0;

  constructor(tree: SizeTree) {
    this.#tree = tree;
  }

  get(parent: NodeId, name: string): NodeId | undefined {
    const mask = this.#table.length - 1;
    for (let at = hashOf(parent, name) & mask; ; at = (at + 1) & mask) {
      const node = this.#table[at] as number;
      if (node === -1) return undefined;
      if (this.#tree.parent(node) === parent && this.#tree.name(node) === name) return node;
    }
  }

  add(parent: NodeId, name: string, node: NodeId): void {
    if (this.#count * 2 >= this.#table.length) {
      const old = this.#table;
      this.#table = new Int32Array(old.length * 2).fill(-1);
      for (const one of old) {
        if (one !== -1) this.#put(hashOf(this.#tree.parent(one), this.#tree.name(one)), one);
      }
    }
    this.#count++;
    this.#put(hashOf(parent, name), node);
  }

  #put(hash: number, node: NodeId): void {
    const mask = this.#table.length - 1;
    let at = hash & mask;
    while (this.#table[at] !== -1) at = (at + 1) & mask;
    this.#table[at] = node;
  }
}

/** Adds the pages of a listing to a tree, below one of its directories. */
export class TreeFeed {
  readonly #tree: SizeTree;
  readonly #root: NodeId;
  readonly #dirs: DirIndex;
  #lastDir: string | undefined;
  #lastNode: NodeId = -1;

  /** Paths of pages are relative to `root`. */
  constructor(tree: SizeTree, root: NodeId) {
    this.#tree = tree;
    this.#root = root;
    this.#dirs = new DirIndex(tree);
  }

  /** Adds a page of one directory's entries; returns the directories among them that can be listed. */
  dirPage(dir: NodeId, entries: readonly Entry[]): NodeId[] {
    const first = this.#tree.add(dir, entries.map(nodeOf));
    const dirs: NodeId[] = [];
    entries.forEach(({ kind, usage }, at) => {
      if (kind !== 'dir') return;
      if (usage?.isForeign === true) this.#leaveOut(first + at);
      else dirs.push(first + at);
    });
    return dirs;
  }

  /** The same for all entries of a directory of a disk. */
  dirRows(dir: NodeId, rows: UsageRows): NodeId[] {
    const first = this.#tree.addRows(dir, rows);
    const dirs: NodeId[] = [];
    rows.order.forEach((row, at) => {
      if (!rows.isDir(row)) return;
      if (rows.isForeign(row)) this.#leaveOut(first + at);
      else dirs.push(first + at);
    });
    return dirs;
  }

  /** A directory on another file system is not listed. */
  #leaveOut(dir: NodeId): void {
    this.#tree.setListed(dir);
    this.#tree.marks.set(dir, 'othfs');
  }

  /** Adds a page of files at any depth, with the directories above them and those among the entries. */
  flatPage(entries: readonly Entry[]): void {
    let dir: NodeId = -1;
    let nodes: NewNode[] = [];
    const flush = () => {
      if (nodes.length > 0) this.#tree.add(dir, nodes);
      nodes = [];
    };
    for (const entry of entries) {
      if (entry.kind === 'dir') {
        flush();
        this.dirAt(entry.path);
        continue;
      }
      const [parent, name] = this.#split(entry.path);
      if (parent !== dir) flush();
      dir = parent;
      const node = nodeOf(entry);
      const { kept, timeMs } = node;
      nodes.push({ ...node, name: kept === undefined ? name : keptName(name, kept.kind, timeMs) });
    }
    flush();
  }

  /** The directory at a path, added if missing. */
  dirAt(path: string): NodeId {
    let at = this.#root;
    for (const name of pathSegments(path)) {
      let dir = this.#dirs.get(at, name);
      if (dir === undefined) {
        dir = this.#tree.add(at, [{ name, isDir: true, size: 0, timeMs: Number.NaN }]);
        this.#tree.setListed(dir);
        this.#dirs.add(at, name, dir);
      }
      at = dir;
    }
    return at;
  }

  #split(path: string): [parent: NodeId, name: string] {
    const slash = path.lastIndexOf('/');
    const isPlain = slash > 0 && slash < path.length - 1 && path[slash - 1] !== '/';
    if (slash < 0) return [this.#root, path];
    if (!isPlain) {
      const segments = pathSegments(path);
      return [this.dirAt(segments.slice(0, -1).join('/')), segments.at(-1) ?? path];
    }
    const dir = path.slice(0, slash);
    if (dir !== this.#lastDir) {
      this.#lastNode = this.dirAt(dir);
      this.#lastDir = dir;
    }
    return [this.#lastNode, path.slice(slash + 1)];
  }
}

/** An entry of a listing as a node. */
export function nodeOf(entry: Entry): NewNode {
  const { path, modTime, usage } = entry;
  const name = leafName(path);
  if (entry.kind === 'dir') return { name, isDir: true, size: 0, timeMs: msOf(modTime), usage };
  const { size, storedTime, kept, tier, hashes } = entry;
  const timeMs = msOf(modTime ?? storedTime);
  return { name, isDir: false, size, timeMs, usage, kept, tier, hashes };
}

function msOf(time: ModTime | undefined): number {
  return time === undefined ? Number.NaN : modTimeToMs(time);
}

function hashOf(parent: NodeId, name: string): number {
  const hash = fnv1a(name, Math.imul(parent, 0x01000193));
  return hash ^ (hash >>> 15);
}
