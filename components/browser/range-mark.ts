import type { NodeId } from '../../src/size-tree/node.ts';
import type { DirRows } from './dir-rows.ts';
import type { Marks } from './marks.ts';

/** Marks all entries between the one where it began and the cursor. */
export class RangeMark {
  readonly #rows: DirRows;
  readonly #marks: Marks;
  #anchor: NodeId | undefined;
  #covered = new Set<NodeId>();

  constructor(rows: DirRows, marks: Marks) {
    this.#rows = rows;
    this.#marks = marks;
  }

  get isOn(): boolean {
    return this.#anchor !== undefined;
  }

  has(node: NodeId): boolean {
    return this.#covered.has(node);
  }

  begin(): void {
    this.#anchor = this.#rows.current;
    this.follow();
  }

  /** Covers what lies between now that the cursor may have moved. */
  follow(): void {
    if (this.#anchor === undefined) return;
    const { items, cursor } = this.#rows;
    const anchor = items.indexOf(this.#anchor);
    if (anchor < 0) {
      this.cancel();
      return;
    }
    const [from, to] = anchor < cursor ? [anchor, cursor] : [cursor, anchor];
    this.#covered = new Set(items.subarray(from, to + 1));
  }

  /** What is covered becomes marked. */
  end(): void {
    for (const node of this.#covered) this.#marks.set(node, true);
    this.cancel();
  }

  /** Nothing more is marked than before. */
  cancel(): void {
    this.#anchor = undefined;
    this.#covered = new Set();
  }
}
