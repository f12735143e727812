import type { NodeId } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { type SortOrder, shownSize } from '../../src/size-tree/sort-order.ts';

/** What entries come to. */
export interface MarkTotals {
  readonly files: number;
  /** As a copy has them. */
  readonly bytes: number;
  /** What the list shows of them. */
  readonly shown: number;
}

/** The marked entries: those of all directories, until they are unmarked or gone. */
export class Marks {
  readonly #tree: SizeTree;
  readonly #marked = new Set<NodeId>();

  constructor(tree: SizeTree) {
    this.#tree = tree;
  }

  get size(): number {
    return this.#marked.size;
  }

  has(node: NodeId): boolean {
    return this.#marked.has(node);
  }

  set(node: NodeId, isMarked: boolean): void {
    if (isMarked) this.#marked.add(node);
    else this.#marked.delete(node);
  }

  toggle(node: NodeId): void {
    this.set(node, !this.has(node));
  }

  clear(): void {
    this.#marked.clear();
  }

  /** Forgets what is not there any more. */
  prune(): void {
    for (const node of this.#marked) if (!this.#tree.isThere(node)) this.#marked.delete(node);
  }

  /** All marked entries in the order in which they were marked. */
  list(): readonly NodeId[] {
    return [...this.#marked];
  }

  /** The marked entries that lie in no marked directory: nothing is in it twice. */
  topmost(): readonly NodeId[] {
    return this.list().filter((node) => !this.#isBelowMarked(node));
  }

  #isBelowMarked(node: NodeId): boolean {
    for (let at = this.#tree.parent(node); at !== -1; at = this.#tree.parent(at)) {
      if (this.#marked.has(at)) return true;
    }
    return false;
  }
}

/** What entries come to, none of which lies in another. */
export function totalsOf(tree: SizeTree, nodes: readonly NodeId[], order: SortOrder): MarkTotals {
  let [files, bytes, shown] = [0, 0, 0];
  for (const node of nodes) {
    files += tree.files(node);
    bytes += tree.size(node);
    shown += shownSize(tree, node, order);
  }
  return { files, bytes, shown };
}
