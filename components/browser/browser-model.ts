import { linkedAbort } from '../../src/core/context.ts';
import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { counted } from '../../src/core/shown-text.ts';
import type { BrowserEffects, Restraint } from '../../src/size-tree/browser-effects.ts';
import { ReadContents } from '../../src/size-tree/files-below.ts';
import { findNode, pathSegments } from '../../src/size-tree/find-node.ts';
import { isNodeWithin, type NodeId, ROOT } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import { LARGEST_FIRST } from '../../src/size-tree/sort-order.ts';
import type { Key } from '../../src/terminal/key.ts';
import { CTRL_C, keyName, ruleOf } from '../../src/terminal/key-table.ts';
import type { LendTerminal } from '../../src/terminal/screen-model.ts';
import { span, type Tone } from '../../src/terminal/span.ts';
import { StateScreen, stepTo } from '../../src/terminal/state-screen.ts';
import type { Browser, BrowserSettings, BrowserSides, ScanState } from './browser.ts';
import { changesPage, olderScan } from './changes-page.tsx';
import { DirRows, Marks } from './dir-rows.ts';
import { isOld } from './entry-pages.ts';
import { Growth } from './growth.ts';
import { KeptFiles } from './kept-files.ts';
import { ListPage } from './list-page.tsx';
import type { BrowserPage, PageRule } from './page.ts';
import { doneText, TaskQueue, taskText } from './task-queue.ts';
import { askYes } from './text-page.tsx';

export interface BrowserParts {
  readonly tree: SizeTree;
  /** What is browsed, as it was typed: `photos:2024`. */
  readonly spec: string;
  readonly effects: BrowserEffects;
  readonly restraint?: Restraint;
  /** Milliseconds from any start. */
  readonly nowMs: () => number;
  /** Absent where there is one side only. */
  readonly sides?: BrowserSides;
  readonly isScanned?: boolean;
  /** Begins with what has changed since a scan of before. */
  readonly showsChanges?: boolean;
}

/** The browser of sizes: pages over the list of a directory, a scan and tasks in the background. */
export class BrowserModel extends StateScreen<undefined, never> implements Browser {
  readonly tree: SizeTree;
  readonly spec: string;
  readonly title: string;
  readonly effects: BrowserEffects;
  readonly rows: DirRows;
  readonly list: ListPage;
  readonly marks: Marks;
  readonly tasks: TaskQueue;
  readonly contents = new ReadContents();
  readonly kept: KeptFiles | undefined;
  readonly nowMs: () => number;
  readonly sides: BrowserSides | undefined;
  readonly afterwards = new Set<string>();
  /** The last one takes the keys. */
  pages: readonly BrowserPage[];
  message: Browser['message'];
  scan: ScanState;
  #settings: BrowserSettings = {
    graph: 'bar and percent',
    counts: false,
    average: false,
    times: 'none',
    classes: false,
    costs: undefined,
    growth: undefined,
    human: true,
    order: LARGEST_FIRST,
  };
  readonly #restraint: Restraint | undefined;
  readonly #scans: ScanRun;
  readonly #closing = new AbortController();
  #lend: LendTerminal | undefined;
  /** The keys that work now, made once for each change. */
  #keys: readonly PageRule[] | undefined;

  constructor(parts: BrowserParts) {
    const { tree, spec, effects, restraint, nowMs, isScanned = false } = parts;
    super(undefined);
    // As if a scan had just ended.
    const ended = { startedMs: nowMs(), endedMs: nowMs() };
    this.scan = { state: 'done', path: '', into: ROOT, nodesBefore: 0, ...ended };
    this.tree = tree;
    this.spec = spec;
    this.title = effects.shown(spec);
    this.effects = effects;
    this.sides = parts.sides;
    this.#restraint = restraint;
    this.nowMs = nowMs;
    this.marks = new Marks(tree);
    this.tasks = parts.sides?.tasks ?? new TaskQueue(() => this.changed(), nowMs);
    this.kept = effects.trash && new KeptFiles(effects.trash, this.closing, () => this.changed());
    this.rows = new DirRows(tree, ROOT, this.settings.order, nowMs);
    const show = (scan: ScanState) => {
      this.scan = scan;
      this.changed();
    };
    this.#scans = new ScanRun(this, show, this.ended.reject);
    this.list = new ListPage(this);
    // A scan may fail before anybody waits for the end.
    this.result.catch(() => undefined);
    this.pages = [this.list];
    if (parts.showsChanges) this.open(changesPage(this));
    if (!isScanned) this.#scans.begin();
  }

  get restraint(): Restraint | undefined {
    return this.scan.keptAge === undefined ? this.#restraint : 'kept';
  }

  get settings(): BrowserSettings {
    return this.#settings;
  }

  set settings(settings: BrowserSettings) {
    this.#settings = settings;
    this.changed();
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  takeTerminal(lend: LendTerminal): void {
    this.#lend = lend;
  }

  async lend<T>(use: () => Promise<T>): Promise<T> {
    if (this.#lend !== undefined) return this.#lend(use);
    throw new SyncerError('unsupported', 'another program needs the screen: not in plain mode');
  }

  /** A scan or a task is under way. */
  isWaiting(): boolean {
    return this.scan.endedMs === undefined || this.tasks.unfinished > 0;
  }

  keys(): readonly PageRule[] {
    this.#keys ??= [...this.#top().keys(), CTRL_C];
    return this.#keys;
  }

  protected override takeKey(key: Key) {
    this.message = undefined;
    this.changed();
    const rule = ruleOf(this.keys(), key);
    this.#top().beforeKey?.();
    rule?.run(keyName(key), key);
    return stepTo(undefined);
  }

  /** What is asked: a question is a page of its own. */
  asked(): unknown {
    return this.#top();
  }

  open(page: BrowserPage): void {
    this.pages = [...this.pages, page];
    this.changed();
  }

  back(count = 1): void {
    this.pages = this.pages.slice(0, Math.max(1, this.pages.length - count));
    this.changed();
  }

  tell(text: string, tone: Tone = 'plain'): void {
    this.message = { text, tone };
    this.changed();
  }

  override changed(): void {
    this.#keys = undefined;
    // Nothing follows that would show the last change later.
    if (!this.isWaiting()) this.rows.refresh(true);
    super.changed();
  }

  stopScan(): void {
    if (!this.#scans.stop()) this.tell('no scan is running');
  }

  leave() {
    const { unfinished } = this.tasks;
    if (unfinished === 0) return this.ended.resolve();
    askYes(this, {
      subject: 'Quit',
      lines: [[span(`  ${counted(unfinished, 'task')} will be stopped before the end.`, 'warn')]],
      yes: 'stop and quit',
      onYes: () => this.ended.resolve(),
    });
  }

  rescan(dir: NodeId) {
    if (this.restraint === 'imported') return this.tell('this is a scan from a file');
    if (this.#scans.isRunning) this.tell('a scan is still running; x stops it');
    else this.#scans.start(dir);
  }

  showGrowth(isQuiet = false): void {
    const tell = (text: string) => {
      if (!isQuiet) this.tell(text, 'warn');
    };
    if (!isQuiet) this.tell('reading the last saved scan');
    olderScan(this, { signal: this.closing }).then(
      (older) => {
        const growth = new Growth(older);
        this.settings = { ...this.settings, growth };
        if (isQuiet) return;
        if (growth.isNone(this.tree, this.settings.order))
          this.tell('nothing has grown since the last saved scan; b shows changes');
        else {
          this.message = undefined;
          this.changed();
        }
      },
      (thrown) => tell(toSyncerError(thrown).message),
    );
  }

  async seeAgain(paths: readonly string[], op: Op): Promise<void> {
    const { tree, rows, marks, effects } = this;
    const seen = new Set<string>();
    for (const path of paths) {
      let dir: NodeId = ROOT;
      let name = '';
      for (const segment of pathSegments(path)) {
        const next: NodeId | undefined = name === '' ? dir : findNode(tree, dir, name);
        if (next === undefined || !tree.isDir(next)) break;
        dir = next;
        name = segment;
      }
      const key = `${dir}/${name}`;
      if (name === '' || seen.has(key)) continue;
      seen.add(key);
      await effects.lookAgain(dir, name, op);
    }
    marks.prune();
    rows.refresh(true);
    this.changed();
  }

  /** What was done, for the terminal after the screen is gone. */
  summary(): readonly string[] {
    const begun = this.tasks.tasks.filter(({ startedMs }) => startedMs !== undefined);
    const done = begun.map((task) => `${doneText(task)}: ${taskText(task)}`);
    return [...done, ...this.afterwards];
  }

  /** Stops the scan and all tasks. Resolves to `stopped` if tasks were unfinished, to `other` if something failed. */
  async close(): Promise<SyncerError | undefined> {
    const stopped = this.tasks.unfinished;
    await Promise.all([this.closeScans(), this.tasks.close()]);
    if (stopped > 0) {
      return new SyncerError('stopped', `${counted(stopped, 'task')} stopped before the end`);
    }
    const failed = this.tasks.tasks.reduce((sum, task) => sum + task.failed, 0);
    const [first] = this.tasks.tasks.flatMap(({ failures }) => failures.slice(0, 1));
    if (first === undefined) return undefined;
    const where = first.path === '' ? '' : `${first.path}: `;
    return new SyncerError(
      'other',
      `${counted(failed, 'entry')} failed, the first: ${where}${first.message}`,
    );
  }

  /** Stops the scan, and whatever waits for an answer; tasks go on. */
  async closeScans(): Promise<void> {
    this.#closing.abort(new Error('the browser was left'));
    await this.#scans.close();
  }

  #top(): BrowserPage {
    return this.pages.at(-1) as BrowserPage;
  }

  /** Goes up from a directory that is not there any more. */
  comeBack(): void {
    const { tree, rows } = this;
    let dir = rows.dir;
    while (dir !== ROOT && !tree.isThere(dir)) dir = Math.max(ROOT, tree.parent(dir));
    if (dir !== rows.dir) rows.open(dir);
  }
}

/** How often the figures of a scan are looked at, in milliseconds. */
const LOOK_MS = 100;

/** Scans of more entries are compared only if that is asked for: it takes as much memory again. */
const MOST_COMPARED = 200_000;

/** The scans of a browser, one at a time: that of before, the first, and those that are asked for. */
class ScanRun {
  readonly #browser: Browser;
  readonly #show: (scan: ScanState) => void;
  readonly #fail: (thrown: unknown) => void;
  #ending: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** @param fail the path cannot be listed at all: the browser ends */
  constructor(browser: Browser, show: (scan: ScanState) => void, fail: (thrown: unknown) => void) {
    this.#browser = browser;
    this.#show = show;
    this.#fail = fail;
  }

  get isRunning(): boolean {
    return this.#ending !== undefined;
  }

  /** Scans everything for the first time; the scan of before is shown until then. */
  begin(): void {
    const { kept } = this.#browser.effects;
    this.#running = kept === undefined ? this.#scan(ROOT, undefined) : this.#beginKept();
  }

  start(dir: NodeId): void {
    const { keptAge } = this.#browser.scan;
    // A part that is new would not make the rest so.
    this.#running = this.#scan(keptAge === undefined ? dir : ROOT, keptAge);
  }

  /** Stops the scan; `false` if none runs. */
  stop(): boolean {
    this.#ending?.abort(new Error('the scan was stopped'));
    return this.#ending !== undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#ending?.abort(new Error('the browser was left'));
    await this.#running;
  }

  /** Shows the scan of before, if there is one, and scans again. */
  async #beginKept(): Promise<void> {
    const { op, end } = this.#begin({ state: 'running', path: '', into: ROOT });
    const kept = await this.#browser.effects.kept?.(op).catch(() => undefined);
    end();
    if (this.#isClosed) return;
    let keptAge = kept?.age;
    if (kept !== undefined) {
      const { tree } = this.#browser;
      const reading = this.#begin({ state: 'reading', keptAge, path: '', into: ROOT });
      try {
        await kept.read(reading.op);
      } catch {
        keptAge = undefined;
        tree.remove(tree.children(ROOT));
        tree.setError(ROOT, undefined);
        tree.setListed(ROOT, false);
      } finally {
        reading.end();
      }
    }
    if (!this.#isClosed) await this.#scan(ROOT, keptAge);
  }

  /** Something runs that can be stopped, and whose figures are looked at, until `end`. */
  #begin(scan: Pick<ScanState, 'state' | 'keptAge' | 'path' | 'into'>) {
    const browser = this.#browser;
    const startedMs = browser.nowMs();
    const ending = linkedAbort();
    this.#ending = ending;
    const nodesBefore = browser.tree.nodes;
    const state: ScanState = { ...scan, startedMs, nodesBefore, endedMs: undefined };
    this.#show(state);
    const looking = setInterval(() => browser.changed(), LOOK_MS);
    looking.unref?.();
    const end = () => {
      clearInterval(looking);
      this.#ending = undefined;
    };
    return { op: { signal: ending.signal }, state, end };
  }

  async #scan(dir: NodeId, age: string | undefined): Promise<void> {
    const { tree, effects, rows, kept, closing } = this.#browser;
    const isFirst = dir === ROOT && tree.childCount(ROOT) === 0;
    const path = tree.path(dir);
    const into = isFirst ? ROOT : tree.addRoot();
    let keptAge = age;
    const { op, state: begun, end } = this.#begin({ state: 'running', keptAge, path, into });
    let state: ScanState['state'] = 'done';
    try {
      await effects.scan(into, path, () => (isFirst ? rows.dir : undefined), op);
      if (!isFirst) takeOver(this.#browser, dir, into);
      if (dir === ROOT) {
        const wasKept = keptAge !== undefined;
        keptAge = undefined;
        const isCompared = wasKept && tree.nodes <= MOST_COMPARED;
        const listed = effects.listed?.().catch(() => undefined);
        void listed?.then(() => isCompared && this.#browser.showGrowth(true));
        // Elsewhere that is a request or more.
        if (effects.isLocal()) kept?.learn({ signal: closing }).catch(() => undefined);
      }
    } catch (thrown) {
      const { message, code } = toSyncerError(thrown);
      if (op.signal.aborted) state = 'stopped';
      else if (dir === ROOT && (isFirst || keptAge !== undefined)) this.#fail(thrown);
      else if (code === 'directory-not-found' && dir !== ROOT) tree.remove([dir]);
      else if (tree.isThere(dir)) tree.setError(dir, message);
    }
    end();
    rows.refresh(true);
    this.#show({ ...begun, state, keptAge, endedMs: this.#browser.nowMs() });
  }
}

/** What was listed again takes the place of what was known; marks and cursor go over by their paths. */
function takeOver(
  { tree, marks, rows }: Pick<Browser, 'tree' | 'marks' | 'rows'>,
  dir: NodeId,
  into: NodeId,
): void {
  if (!tree.isThere(dir)) return;
  const pathFrom = (node: NodeId) => tree.path(node).slice(base === '' ? 0 : base.length + 1);
  const base = tree.path(dir);
  const isInside = (node: NodeId) => node !== dir && isNodeWithin(tree, dir, node);
  const inside = (nodes: Iterable<NodeId>) =>
    [...nodes].filter((node) => isInside(node) && !isOld(tree.keptKind(node))).map(pathFrom);
  const marked = inside(marks);
  const excluded = inside(tree.excluded);
  const shown = isInside(rows.dir) ? pathFrom(rows.dir) : undefined;
  const { current, filter } = rows;
  const under = shown === undefined || current === undefined ? undefined : pathFrom(current);
  const at = shown === undefined && rows.dir === dir ? current : undefined;
  if (at !== undefined || shown !== undefined) rows.keepByName();
  tree.replaceContents(dir, into);
  marks.prune();
  for (const path of marked) {
    const node = findNode(tree, dir, path);
    if (node !== undefined) marks.add(node);
  }
  for (const path of excluded) {
    const node = findNode(tree, dir, path);
    if (node !== undefined) tree.setExcluded(node, true);
  }
  if (shown === undefined) return;
  const entry = under === undefined ? undefined : findNode(tree, dir, under);
  rows.open(findNode(tree, dir, shown) ?? dir, entry);
  rows.setFilter(filter);
}
