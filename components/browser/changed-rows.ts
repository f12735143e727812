import {
  changesIn,
  type EntryChange,
  type EntryPair,
  type ScanPair,
} from '../../src/size-tree/dir-changes.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import { NONE } from '../../src/size-tree/node-figures.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { moveCursor, scrollTo } from '../../src/terminal/cursor-list.ts';
import { MOVE, stepOf } from '../../src/terminal/list-keys.ts';
import type { Browser } from './browser.ts';
import { nextSortMs } from './dir-rows.ts';
import type { PageRule } from './page.ts';

/** The changed entries of a directory in two scans, in order, with a cursor. */
export class ChangedRows {
  readonly scans: ScanPair;
  readonly #browser: Browser;
  /** Directories from the top down to the one that is shown. */
  readonly #names: string[] = [];
  #dir: EntryPair = { before: ROOT, after: ROOT };
  #by: 'size' | 'count' = 'size';
  #isReversed = false;
  #changes: readonly EntryChange[] = [];
  #cursor = 0;
  #first = 0;
  #rowsShown = 1;
  /** What the changes were found with. */
  #state = '';
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(browser: Browser, scans: ScanPair) {
    this.#browser = browser;
    this.scans = scans;
    const { rows, tree } = browser;
    for (let at = rows.dir; at !== ROOT && at !== NONE; at = tree.parent(at)) {
      this.#names.unshift(tree.name(at));
    }
    this.#find();
  }

  get dir(): EntryPair {
    return this.#dir;
  }

  /** Of the directory, below the top. */
  get path(): string {
    return this.#names.join('/');
  }

  get cursor(): number {
    return this.#cursor;
  }

  get current(): EntryChange | undefined {
    return this.#changes[this.#cursor];
  }

  get orderText(): string {
    const what = this.#by === 'size' ? 'growth' : 'growth in files';
    return `by ${what} ${this.#isReversed ? 'up' : 'down'}`;
  }

  /** Where the list of entries is to be opened: the directory, or the innermost that is there, and its entry. */
  get place(): { readonly dir: NodeId; readonly at: NodeId | undefined } {
    const { after } = this.#dir;
    const at = this.current?.after;
    if (after !== NONE) return { dir: after, at: at === NONE ? undefined : at };
    const there = this.#names.map((_, depth) => this.#pairAt(depth).after);
    return { dir: there.findLast((dir) => dir !== NONE) ?? ROOT, at: undefined };
  }

  /** The changes to show: compared again where the tree has changed, but not all the time. */
  get changes(): readonly EntryChange[] {
    const { tree, settings, nowMs } = this.#nowParts();
    const state = [tree.version, settings.order.isApparent].join();
    if (state === this.#state) return this.#changes;
    if (this.#changes.length > 0 && nowMs < this.#nextMs) return this.#changes;
    this.#find();
    return this.#changes;
  }

  isDir({ before, after }: EntryPair): boolean {
    return after === NONE ? this.scans.before.isDir(before) : this.scans.after.isDir(after);
  }

  /** The row for the keys that move. */
  rule(): PageRule {
    return { ...MOVE, run: (name) => this.move(stepOf(name, this.#rowsShown)) };
  }

  move(step: number): void {
    const all = this.#changes.length;
    this.#cursor = moveCursor(this.#cursor, Math.max(-all, Math.min(all, step)), all);
  }

  /** Opens the directory under the cursor. */
  enter(): void {
    const { current } = this;
    if (current === undefined) return;
    this.#names.push(this.#nameOf(current));
    this.#cursor = 0;
    this.#first = 0;
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
    this.#cursor = Math.max(0, this.#changes.findIndex(isIt));
    return true;
  }

  /** Sorts; reverses the order if it is that already. */
  sort(by: 'size' | 'count'): void {
    this.#isReversed = by === this.#by && !this.#isReversed;
    this.#by = by;
    this.#find();
  }

  /** The rows to show of all on this many lines: from the first to before the last. */
  window(all: number, lines: number): readonly [first: number, end: number] {
    this.#rowsShown = Math.max(1, lines);
    this.#first = scrollTo(this.#first, this.#cursor, this.#rowsShown, all);
    return [this.#first, Math.min(all, this.#first + this.#rowsShown)];
  }

  #nowParts() {
    const { settings } = this.#browser;
    return { tree: this.scans.after, settings, nowMs: this.#browser.nowMs() };
  }

  #find(): void {
    const { tree, settings, nowMs } = this.#nowParts();
    const { current } = this;
    this.#state = [tree.version, settings.order.isApparent].join();
    this.#dir = this.#pairAt(this.#names.length);
    const found = changesIn(this.scans, this.#dir, settings.order, this.#by);
    this.#changes = this.#isReversed ? found.toReversed() : found;
    const isSame = ({ before, after }: EntryChange) =>
      current !== undefined &&
      (before === NONE ? after : before) ===
        (current.before === NONE ? current.after : current.before) &&
      (before === NONE) === (current.before === NONE);
    const place = this.#changes.findIndex(isSame);
    this.#cursor = moveCursor(place >= 0 ? place : this.#cursor, 0, this.#changes.length);
    this.#nextMs = nextSortMs(nowMs, this.#browser.nowMs());
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

function dirAt(tree: SizeTree, names: readonly string[]): NodeId {
  let at: NodeId = ROOT;
  for (const name of names) {
    const isIt = (child: NodeId) => tree.isDir(child) && tree.name(child) === name;
    at = tree.children(at).find(isIt) ?? NONE;
    if (at === NONE) break;
  }
  return at;
}
