import type { NodeId } from './node.ts';
import type { SizeTree } from './size-tree.ts';

/** Finds directories by parent and name, in about eight bytes for each: no text is kept. */
export class DirIndex {
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
    if (this.#count * 2 >= this.#table.length) this.#grow();
    this.#count++;
    this.#put(hashOf(parent, name), node);
  }

  #put(hash: number, node: NodeId): void {
    const mask = this.#table.length - 1;
    let at = hash & mask;
    while (this.#table[at] !== -1) at = (at + 1) & mask;
    this.#table[at] = node;
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new Int32Array(old.length * 2).fill(-1);
    for (const node of old) {
      if (node !== -1) this.#put(hashOf(this.#tree.parent(node), this.#tree.name(node)), node);
    }
  }
}

/** FNV-1a over the parent and the characters. */
function hashOf(parent: NodeId, name: string): number {
  let hash = Math.imul(parent ^ 0x811c9dc5, 0x01000193);
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  }
  return hash ^ (hash >>> 15);
}
