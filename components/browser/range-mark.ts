import type { NodeId } from '../../src/size-tree/node.ts';
import type { DirRows } from './dir-rows.ts';
import type { Marks } from './marks.ts';

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
