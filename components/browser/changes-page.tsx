import { SyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { counted, harmless } from '../../src/core/shown-text.ts';
import type { OlderScan } from '../../src/size-tree/browser-effects.ts';
import {
  changeOf,
  changesIn,
  type EntryChange,
  type EntryPair,
  type ScanPair,
} from '../../src/size-tree/dir-changes.ts';
import { findNode } from '../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import { NONE } from '../../src/size-tree/node-figures.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { cutMiddle, fillLeft, lineWidth } from '../../src/terminal/cells.ts';
import { plainSize, shortCount, sizeText, timeText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, type Span, span } from '../../src/terminal/span.ts';
import { ago } from '../../src/terminal/time-texts.ts';
import { Lines } from '../ui/text.tsx';
import type { Browser } from './browser.ts';
import { nextSortMs } from './dir-rows.ts';
import { Fetched, joinTitle, viewPage } from './entry-pages.ts';
import { type BrowserPage, HELPS, type PageRule, RowList } from './page.ts';
import { PageFrame, type RowLook, Rows } from './page-frame.tsx';
import { entryKeys } from './path-list.tsx';

/** The last saved scan. Rejects if there is none. */
export async function olderScan({ effects }: Browser, op: Op): Promise<OlderScan> {
  const older = await effects.older(op);
  if (older !== undefined) return older;
  throw new SyncerError(
    'usage',
    'no earlier scan of this path yet: each complete scan is saved, the next visit compares with it',
  );
}

/** What has changed since a scan of before: the entries of a directory by their growth. */
export function changesPage(browser: Browser): BrowserPage {
  const { tree } = browser;
  const older = new Fetched(browser, (op) => olderScan(browser, op));
  let rows: ChangedRows | undefined;
  const leave = () => {
    older.stop();
    const there = rows?.place;
    browser.back();
    if (there !== undefined) browser.rows.open(there.dir, there.at);
  };
  const about = 'show all entries of this directory; also Esc and q';
  const toList = row('b', 'list', about, leave, { also: 'Esc q' });
  const page: BrowserPage = {
    keys: () => (rows === undefined ? [toList] : changesKeys(browser, rows, toList)),
    view() {
      const { scan, settings } = browser;
      // Both scans have to be there.
      if (older.value !== undefined && scan.state === 'done' && scan.keptAge === undefined) {
        rows ??= new ChangedRows(browser, { before: older.value.tree, after: tree });
      }
      if (rows === undefined || older.value === undefined) {
        const { value, error } = older;
        const wait = value === undefined ? 'reading the older scan' : 'waiting for the scan';
        const stopped = scan.state === 'stopped' ? 'the scan was stopped: b, then r' : undefined;
        const why = error === undefined ? stopped : harmless(error);
        const line = [span(`  ${why ?? wait}`, why === undefined ? 'dim' : 'warn')];
        return (
          <PageFrame page={page} browser={browser} subject="changes">
            <Lines lines={[line]} />
          </PageFrame>
        );
      }
      rows.refresh();
      const { scans, list, dir, path, orderText } = rows;
      return (
        <PageFrame
          page={page}
          browser={browser}
          path={joinTitle(browser.title, path)}
          aside={`changes ${orderText}`}
          status={statusOf(changeOf(scans, dir, settings.order), older.value)}
        >
          <Rows
            list={list}
            none="no changes"
            isMarked={({ after }) => after !== NONE && browser.marks.has(after)}
            lineOf={(change, look) => changeLine(browser, scans, change, look)}
          />
        </PageFrame>
      );
    },
  };
  return page;
}

function changesKeys(browser: Browser, rows: ChangedRows, toList: PageRule): readonly PageRule[] {
  const { current } = rows.list;
  const node = current?.after ?? NONE;
  const onEntry = (act: (node: NodeId) => void) => () => {
    if (node !== NONE) act(node);
    else if (current !== undefined) browser.tell('it is gone: only the older scan has it');
  };
  const isDir = current !== undefined && rows.isDir(current);
  const open = () => {
    if (isDir) rows.enter();
    else onEntry((there) => browser.open(viewPage(browser, there)))();
  };
  const up = () => {
    if (!rows.leave()) browser.tell('this is the top; b goes back to the list');
  };
  const reorder = (name: string) => rows.sort(name === 'C' ? 'count' : 'size');
  const next = () => rows.list.move(1);
  return [
    toList,
    row('→ Enter l', 'open', 'open a directory; view a file', open, { short: '→' }),
    row('← h', 'up', 'go to the parent directory; also Backspace', up, {
      also: 'Backspace',
      short: '←',
    }),
    { ...rows.list.rule(), short: '↑↓' },
    row('s C', 'sort', 'sort by size or number of files; again: what shrank first', reorder),
    ...entryKeys(browser, node !== NONE, onEntry, next),
    ...HELPS,
  ];
}

function statusOf(whole: EntryChange, { timeMs }: OlderScan): Line {
  const when = Number.isNaN(timeMs)
    ? 'the older scan'
    : `${timeText(timeMs)}, ${ago(Date.now() - timeMs)}`;
  const files =
    whole.files === 0 ? '' : `, ${whole.files < 0 ? '' : '+'}${counted(whole.files, 'file')}`;
  const bytes = whole.sizeAfter - whole.sizeBefore;
  const growth = `${bytes < 0 ? '-' : '+'}${plainSize(Math.abs(bytes))}`;
  return [span(`${growth}${files} since ${when}`)];
}

/** The mark of a directory that a scan could not list, or not all of it: its difference is not known. */
function unlistedSpan(tree: SizeTree, node: NodeId): Span | undefined {
  if (node === NONE || !tree.isDir(node) || tree.failed(node) === 0) return undefined;
  return tree.errorOf(node) === undefined ? span(' .   ', 'warn') : span(' !   ', 'bad');
}

/** The line of a changed entry: difference, what it is, files, size before and after, name. */
function changeLine(
  browser: Browser,
  { before, after }: ScanPair,
  change: EntryChange,
  how: RowLook,
): Line {
  const { columns, glyphs, isMarked } = how;
  const { human } = browser.settings;
  const isNew = change.before === NONE;
  const isGone = change.after === NONE;
  const [tree, node] = isGone ? [before, change.before] : [after, change.after];
  const isDir = tree.isDir(node);
  const unlisted = unlistedSpan(before, change.before) ?? unlistedSpan(after, change.after);
  const bytes = change.sizeAfter - change.sizeBefore;
  const tone = isGone ? 'dim' : bytes > 0 ? 'warn' : bytes < 0 ? 'good' : 'plain';
  const sign = bytes < 0 ? '-' : '+';
  const size = `${sign}${sizeText(Math.abs(bytes), !human)}`;
  const line: Span[] = [
    span(fillLeft(size, human ? 11 : 20), tone),
    unlisted ?? span(isNew ? ' new ' : isGone ? ' gone' : '     ', isGone ? 'dim' : 'warn'),
  ];
  if (columns >= 56) {
    const files = Math.abs(change.files);
    const text = isDir && files > 0 ? `${change.files < 0 ? '-' : '+'}${shortCount(files)}` : '';
    line.push(span(fillLeft(text, 7), 'dim'));
  }
  if (columns >= 76) {
    const from = isNew ? '' : sizeText(change.sizeBefore);
    const to = isGone ? '' : sizeText(change.sizeAfter);
    line.push(span(`  ${fillLeft(from, 9)} ${glyphs.arrow} ${fillLeft(to, 9)}`, 'dim'));
  }
  const slash = isDir ? '/' : '';
  const room = columns - lineWidth(line) - 4 - slash.length;
  const name = cutMiddle(harmless(tree.name(node)), Math.max(1, room), glyphs.ellipsis);
  line.push(span(`  ${name}${slash}`, isGone ? 'dim' : isDir ? 'dir' : 'plain', isMarked));
  return line;
}

/** The changed entries of a directory in two scans, in order, with a cursor. */
class ChangedRows {
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
    // The sums of both leave out the same paths.
    const { before } = scans;
    for (const node of [...before.excluded]) before.setExcluded(node, false);
    for (const node of tree.excluded) {
      const same = findNode(before, ROOT, tree.path(node));
      if (same !== undefined) before.setExcluded(same, true);
    }
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

function dirAt(tree: SizeTree, names: readonly string[]): NodeId {
  let at: NodeId = ROOT;
  for (const name of names) {
    const isIt = (child: NodeId) => tree.isDir(child) && tree.name(child) === name;
    at = tree.children(at).find(isIt) ?? NONE;
    if (at === NONE) break;
  }
  return at;
}
