import {
  changesIn,
  type EntryChange,
  type EntryPair,
  type ScanPair,
} from '../../src/size-tree/dir-changes.ts';
import { findNode } from '../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import { NONE } from '../../src/size-tree/node-figures.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import type { Browser } from './browser.ts';
import { nextSortMs } from './dir-rows.ts';
import { RowList } from './row-list.ts';

/** The changed entries of a directory in two scans, in order, with a cursor. */
export class ChangedRows {
  readonly scans: ScanPair;
  readonly list = new RowList(() => this.#changes);
  readonly #browser: Browser;
  /** Directories from the top down to the one that is shown. */
  readonly #names: string[] = [];
  dir: EntryPair = { before: ROOT, after: ROOT };
  #by: 'size' | 'count' = 'size';
  #isReversed = false;
  #changes: readonly EntryChange[] = [];
  /** What the changes were found with. */
  #state = '';
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(browser: Browser, scans: ScanPair) {
    this.#browser = browser;
    this.scans = scans;
    const { rows, tree } = browser;
    excludeSame(tree, scans.before);
    for (let at = rows.dir; at !== ROOT && at !== NONE; at = tree.parent(at)) {
      this.#names.unshift(tree.name(at));
    }
    this.#find();
  }

  /** Of the directory, below the top. */
  get path(): string {
    return this.#names.join('/');
  }

  get orderText(): string {
    const what = this.#by === 'size' ? 'growth' : 'growth in files';
    return `by ${what} ${this.#isReversed ? 'up' : 'down'}`;
  }

  /** Where the list of entries is to be opened: the directory, or the innermost that is there, and its entry. */
  get place(): { readonly dir: NodeId; readonly at: NodeId | undefined } {
    const { after } = this.dir;
    const at = this.list.current?.after;
    if (after !== NONE) return { dir: after, at: at === NONE ? undefined : at };
    const there = this.#names.map((_, depth) => this.#pairAt(depth).after);
    return { dir: there.findLast((dir) => dir !== NONE) ?? ROOT, at: undefined };
  }

  /** Compares again where the tree has changed, but not all the time. */
  refresh(): void {
    const isLater = this.#changes.length === 0 || this.#browser.nowMs() >= this.#nextMs;
    if (this.#stateNow() !== this.#state && isLater) this.#find();
  }

  isDir({ before, after }: EntryPair): boolean {
    return after === NONE ? this.scans.before.isDir(before) : this.scans.after.isDir(after);
  }

  enter(): void {
    const { current } = this.list;
    if (current === undefined) return;
    this.#names.push(this.#nameOf(current));
    this.list.cursor = 0;
    this.#changes = [];
    this.#find();
  }

  /** Opens the parent directory with the cursor on the one it comes from; whether there is one. */
  leave(): boolean {
    const name = this.#names.pop();
    if (name === undefined) return false;
    this.#changes = [];
    this.#find();
    const isIt = (pair: EntryPair) => this.isDir(pair) && this.#nameOf(pair) === name;
    this.list.cursor = this.#changes.findIndex(isIt);
    return true;
  }

  /** Sorts; reverses the order if it is that already. */
  sort(by: 'size' | 'count'): void {
    this.#isReversed = by === this.#by && !this.#isReversed;
    this.#by = by;
    this.#find();
  }

  #stateNow(): string {
    return `${this.scans.after.version},${this.#browser.settings.order.isApparent}`;
  }

  #find(): void {
    const startedMs = this.#browser.nowMs();
    const { cursor, current } = this.list;
    this.#state = this.#stateNow();
    this.dir = this.#pairAt(this.#names.length);
    const found = changesIn(this.scans, this.dir, this.#browser.settings.order, this.#by);
    this.#changes = this.#isReversed ? found.toReversed() : found;
    const isSame = ({ before, after }: EntryChange) =>
      before === current?.before && (before !== NONE || after === current.after);
    const place = this.#changes.findIndex(isSame);
    this.list.cursor = place >= 0 ? place : cursor;
    this.#nextMs = nextSortMs(startedMs, this.#browser.nowMs());
  }

  #pairAt(depth: number): EntryPair {
    const { before, after } = this.scans;
    const names = this.#names.slice(0, depth);
    return { before: dirAt(before, names), after: dirAt(after, names) };
  }

  #nameOf({ before, after }: EntryPair): string {
    return after === NONE ? this.scans.before.name(before) : this.scans.after.name(after);
  }
}

/** Leaves the same paths out of the sums of another tree, and no others. */
function excludeSame(from: SizeTree, to: SizeTree): void {
  for (const node of [...to.excluded]) to.setExcluded(node, false);
  for (const node of from.excluded) {
    const same = findNode(to, ROOT, from.path(node));
    if (same !== undefined) to.setExcluded(same, true);
  }
}

function dirAt(tree: SizeTree, names: readonly string[]): NodeId {
  let at: NodeId = ROOT;
  for (const name of names) {
    const isIt = (child: NodeId) => tree.isDir(child) && tree.name(child) === name;
    at = tree.children(at).find(isIt) ?? NONE;
    if (at === NONE) break;
  }
  return at;
}
