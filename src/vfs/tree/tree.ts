import { SyncerError } from '../../core/errors.ts';
import { type Inode, ROOT_INODE } from '../mount-ops.ts';
import { DirNode, FileNode, isOpen, type Node } from './node.ts';

/**
 * The number of a name in a directory, always the same, so that a forgotten file gets its number again: 52 bits of a
 * hash (cyrb53 by bryc, public domain), at least 1,024.
 */
export function inodeNumber(parent: Inode, name: string): Inode {
  let a = 0xdeadbeef ^ (parent | 0);
  let b = 0x41c6ce57 ^ ((parent / 0x1_0000_0000) | 0);
  for (let i = 0; i < name.length; i++) {
    const unit = name.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 1024 + (b & 0xfffff) * 0x1_0000_0000 + (a >>> 0);
}

/**
 * The known files and directories: numbers, names and places. A node stays while it has a place, the kernel remembers
 * it, or it is open.
 */
export class Tree {
  readonly root = new DirNode(ROOT_INODE, '', undefined);
  readonly #nodes = new Map<Inode, Node>([[ROOT_INODE, this.root]]);

  get size(): number {
    return this.#nodes.size;
  }

  /** The node of a number; `undefined` if there is none. */
  find(inode: Inode): Node | undefined {
    return this.#nodes.get(inode);
  }

  /** As `find`. Throws `file-not-found` if there is none. */
  node(inode: Inode): Node {
    const node = this.find(inode);
    if (node !== undefined) return node;
    throw new SyncerError('file-not-found', 'the file is gone');
  }

  /** As `node`. Throws `not-a-directory` for a file. */
  dir(inode: Inode): DirNode {
    const node = this.node(inode);
    if (node.kind === 'dir') return node;
    throw new SyncerError('not-a-directory', `${node.name}: not a directory`, { path: node.name });
  }

  /** As `node`. Throws `not-a-file` for a directory. */
  file(inode: Inode): FileNode {
    const node = this.node(inode);
    if (node.kind === 'file') return node;
    throw new SyncerError('not-a-file', `${node.name}: is a directory`, { path: node.name });
  }

  /** Whether a directory has a place. */
  has(dir: DirNode): boolean {
    return dir === this.root || dir.parent !== undefined;
  }

  /** All nodes that have a place or are remembered. */
  all(): Iterable<Node> {
    return this.#nodes.values();
  }

  newFile(dir: DirNode, name: string, entry: FileNode['entry']): FileNode {
    const node = new FileNode(this.#number(dir, name), name, entry);
    this.#nodes.set(node.inode, node);
    return node;
  }

  newDir(dir: DirNode, name: string, entry: DirNode['entry']): DirNode {
    const node = new DirNode(this.#number(dir, name), name, entry);
    this.#nodes.set(node.inode, node);
    return node;
  }

  /** Puts a node without a place into a directory, replacing the node of that name. */
  attach(dir: DirNode, name: string, node: Node): void {
    const old = dir.children.get(name);
    if (old !== undefined && old !== node) this.detach(old);
    node.placed(dir, name);
    dir.children.put(name, node);
  }

  /** Takes a node out of its directory; it lives while the kernel remembers it or it is open. */
  detach(node: Node): void {
    const { parent } = node;
    if (parent === undefined) return;
    takeOut(parent, node.name);
    this.orphan(node);
  }

  /** As `detach` for a node that a new set of children lacks. */
  orphan(node: Node): void {
    node.displaced();
    this.letGo(node);
  }

  /** Moves a node, which may have no place, to another one. */
  move(node: Node, dir: DirNode, name: string): void {
    const { parent } = node;
    if (parent !== undefined) takeOut(parent, node.name);
    this.attach(dir, name, node);
  }

  /** Drops an unused node without a place, with all below it. */
  letGo(node: Node): void {
    if (node.parent !== undefined || node === this.root) return;
    if (node.kind === 'dir') {
      for (const child of node.children.nodes()) this.orphan(child);
      node.children.clear();
      node.listing.forget();
    }
    if (node.lookups === 0 && !isOpen(node)) this.#nodes.delete(node.inode);
  }

  /** Counts one more lookup by the kernel, unless the node is gone. */
  remember(inode: Inode): void {
    const node = this.#nodes.get(inode);
    node?.lookedUp();
  }

  /** The kernel has forgotten `count` lookups; returns the node if those were all. */
  forget(inode: Inode, count: number): Node | undefined {
    const node = this.#nodes.get(inode);
    if (node === undefined) return undefined;
    node.forgotten(count);
    if (node.lookups > 0) return undefined;
    this.letGo(node);
    return node;
  }

  #number(dir: DirNode, name: string): Inode {
    let inode = inodeNumber(dir.inode, name);
    while (this.#nodes.has(inode)) inode++;
    return inode;
  }
}

function takeOut(dir: DirNode, name: string): void {
  dir.children.delete(name);
  dir.listing.uncheck(name);
}
