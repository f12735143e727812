import type { NodeId } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { type SortOrder, shownSize } from '../../src/size-tree/sort-order.ts';
import type { DirRows } from './dir-rows.ts';

/** The marked entries, in the order in which they were marked: those of all directories, until they are unmarked or gone. */
export class Marks extends Set<NodeId> {
  readonly #tree: SizeTree;

  constructor(tree: SizeTree) {
    super();
    this.#tree = tree;
  }

  toggle(node: NodeId): void {
    if (!this.delete(node)) this.add(node);
  }

  /** Forgets what is not there any more. */
  prune(): void {
    for (const node of this) if (!this.#tree.isThere(node)) this.delete(node);
  }

  topmost(): readonly NodeId[] {
    return topmostOf(this.#tree, this);
  }
}

/** The entries that lie in no other of them: nothing is in them twice. */
export function topmostOf(tree: SizeTree, nodes: ReadonlySet<NodeId>): readonly NodeId[] {
  return [...nodes].filter((node) => {
    for (let at = tree.parent(node); at !== -1; at = tree.parent(at))
      if (nodes.has(at)) return false;
    return true;
  });
}

/** What entries come to, none of which lies in another; `shown`: what the list shows, `bytes`: as a copy has them. */
export function totalsOf(tree: SizeTree, nodes: readonly NodeId[], order: SortOrder) {
  let [files, bytes, shown] = [0, 0, 0];
  for (const node of nodes) {
    files += tree.files(node);
    bytes += tree.size(node);
    shown += shownSize(tree, node, order);
  }
  return { files, bytes, shown };
}

/** Marks all entries between the one where it began and the cursor. */
export class RangeMark {
  readonly #rows: DirRows;
  readonly #marks: Marks;
  #anchor: NodeId | undefined;

  constructor(rows: DirRows, marks: Marks) {
    this.#rows = rows;
    this.#marks = marks;
  }

  get isOn(): boolean {
    return this.covered().length > 0;
  }

  /** What lies between now; nothing if it is off, or began at an entry that is not shown any more. */
  covered(): Int32Array {
    const { items, cursor } = this.#rows;
    const anchor = this.#anchor === undefined ? -1 : items.indexOf(this.#anchor);
    if (anchor < 0) return new Int32Array();
    return items.subarray(Math.min(anchor, cursor), Math.max(anchor, cursor) + 1);
  }

  begin(): void {
    this.#anchor = this.#rows.current;
  }

  /** What is covered becomes marked. */
  end(): void {
    for (const node of this.covered()) this.#marks.add(node);
    this.cancel();
  }

  /** Nothing more is marked than before. */
  cancel(): void {
    this.#anchor = undefined;
  }
}
