import type { NodeId } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { type SortOrder, shownSize, sortedChildren } from '../../src/size-tree/sort-order.ts';
import { RowList } from './page.ts';

/** The shortest time between two sorts during a scan, in milliseconds. */
const LEAST_PAUSE_MS = 200;

/** The pause between two sorts, in times that one takes. */
const PAUSE_FACTOR = 10;

/** When rows that follow a changing tree are sorted again at the earliest, from when the last sort began and ended. */
export function nextSortMs(begunMs: number, endedMs: number): number {
  return endedMs + Math.max(LEAST_PAUSE_MS, PAUSE_FACTOR * (endedMs - begunMs));
}

/** The sorted entries of the directory on the screen; the cursor stays on its entry when the order changes. */
export class DirRows extends RowList<Int32Array> {
  readonly #tree: SizeTree;
  readonly #nowMs: () => number;
  dir: NodeId;
  filter = '';
  /** Size of the largest entry that is shown. */
  largest = 0;
  #order: SortOrder;
  /** In order, before the filter. */
  #sorted: Int32Array = new Int32Array(0);
  #rows: Int32Array = new Int32Array(0);
  #version = -1;
  #nextMs = Number.NEGATIVE_INFINITY;
  /** The user has moved the cursor here; until then it stays on the first line. */
  #isHeld = false;
  /** The entry that the cursor was on before the filter. */
  #before: NodeId | undefined;
  /** The entry to go to when it comes, by name: after a rescan its number is another. */
  #wanted: string | undefined;

  constructor(tree: SizeTree, dir: NodeId, order: SortOrder, nowMs: () => number) {
    super(() => this.#rows);
    this.#tree = tree;
    this.dir = dir;
    this.#order = order;
    this.#nowMs = nowMs;
    this.#sort();
  }

  /** Entries of the directory, those that are filtered away among them. */
  get total(): number {
    return this.#sorted.length;
  }

  /** Sorts again after a change: immediately with `now`, otherwise when it is due. */
  refresh(now = false): void {
    if (this.#version === this.#tree.version) return;
    if (!now && this.#rows.length > 0 && this.#nowMs() < this.#nextMs) return;
    this.#sort();
  }

  setOrder(order: SortOrder): void {
    this.#order = order;
    this.#sort();
  }

  /** Shows only names that hold the text; the cursor stays on its entry, also when the filter ends. */
  setFilter(text: string): void {
    if (this.filter === '') this.#before = this.current;
    const kept = this.current ?? this.#before;
    if (text === '' && kept !== this.#before) this.#isHeld = true;
    const narrows = text.startsWith(this.filter);
    this.filter = text;
    this.#show(filterRows(this.#tree, narrows ? this.#rows : this.#sorted, text), kept);
  }

  /** Shows another directory, with the cursor on `at`. */
  open(dir: NodeId, at?: NodeId): void {
    this.dir = dir;
    this.filter = '';
    this.#rows = new Int32Array(0);
    this.cursor = this.firstShown = 0;
    this.#wanted = undefined;
    this.#isHeld = at !== undefined;
    this.#sort();
    const place = at === undefined ? -1 : this.#rows.indexOf(at);
    if (place >= 0) this.cursor = place;
  }

  /** The entry under the cursor is about to be replaced: the cursor goes to the one of the same name. */
  keepByName(): void {
    const { current } = this;
    this.#wanted = current === undefined ? undefined : this.#tree.name(current);
  }

  /** From now on the cursor stays on its entry. */
  hold(): void {
    this.#isHeld = true;
  }

  #sort(): void {
    const since = this.#nowMs();
    this.#version = this.#tree.version;
    this.#sorted = sortedChildren(this.#tree, this.dir, this.#order);
    const rows = filterRows(this.#tree, this.#sorted, this.filter);
    this.#show(rows);
    this.#nextMs = nextSortMs(since, this.#nowMs());
  }

  #show(rows: Int32Array, current = this.current): void {
    const line = this.cursor - this.firstShown;
    this.#rows = rows;
    this.largest = 0;
    for (const row of rows) {
      if (this.#tree.isExcluded(row)) continue;
      this.largest = Math.max(this.largest, shownSize(this.#tree, row, this.#order));
    }
    const place = this.#isHeld ? this.#placeOf(current) : 0;
    this.cursor = place >= 0 ? place : this.cursor;
    this.firstShown = this.cursor - line;
  }

  #placeOf(node: NodeId | undefined): number {
    const place = node === undefined ? -1 : this.#rows.indexOf(node);
    if (place >= 0 || this.#wanted === undefined) return place;
    const wanted = this.#wanted;
    const found = this.#rows.findIndex((row) => this.#tree.name(row) === wanted);
    if (found >= 0) this.#wanted = undefined;
    return found;
  }
}

/**
 * Those of the nodes whose name holds the text, in their order. Small ASCII letters in the text stand for capitals, too,
 * as long as it holds none itself. Looks at bytes, so that 100,000 names are gone through between two keys.
 */
function filterRows({ names }: SizeTree, nodes: Int32Array, text: string): Int32Array {
  if (text === '') return nodes;
  const wanted = Buffer.from(text);
  const folds = !/[A-Z]/.test(text);
  const { bytes } = names;
  const fold = (byte: number) => (folds && byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte);
  const matchesAt = (from: number) => {
    for (let at = 0; at < wanted.length; at++) {
      if (fold(bytes[from + at] as number) !== wanted[at]) return false;
    }
    return true;
  };
  const holds = (node: NodeId) => {
    const last = names.end(node) - wanted.length;
    for (let from = names.start(node); from <= last; from++) if (matchesAt(from)) return true;
    return false;
  };
  return nodes.filter(holds);
}

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
