import { SyncerError, toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { counted } from '../../src/core/shown-text.ts';
import type { BrowserEffects, Restraint } from '../../src/size-tree/browser-effects.ts';
import { ReadContents } from '../../src/size-tree/duplicate-files.ts';
import { findNode, pathSegments } from '../../src/size-tree/find-node.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import type { SizeTree } from '../../src/size-tree/size-tree.ts';
import type { Key } from '../../src/terminal/key.ts';
import { CTRL_C, keyName, ruleOf } from '../../src/terminal/key-table.ts';
import type { LendTerminal } from '../../src/terminal/screen-model.ts';
import { span, type Tone } from '../../src/terminal/span.ts';
import { StateScreen, stepTo } from '../../src/terminal/state-screen.ts';
import type { Browser, BrowserSides, ScanState } from './browser.ts';
import { type BrowserSettings, FIRST_SETTINGS } from './browser-settings.ts';
import { changesPage, olderScan } from './changes-page.tsx';
import { DirRows } from './dir-rows.ts';
import { Growth } from './growth.ts';
import { KeptFiles } from './kept-files.ts';
import { ListPage } from './list-page.tsx';
import { Marks } from './marks.ts';
import type { BrowserPage, PageRule } from './page.ts';
import { ScanRun } from './scan-run.ts';
import { TaskQueue } from './task-queue.ts';
import { doneText, taskText } from './task-text.ts';
import { askYes } from './text-page.tsx';

/** What a browser begins with. */
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
  #settings = FIRST_SETTINGS;
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

  leave(): void {
    const { unfinished } = this.tasks;
    if (unfinished === 0) {
      this.ended.resolve();
      return;
    }
    askYes(this, {
      subject: 'Quit',
      lines: [[span(`  ${counted(unfinished, 'task')} will be stopped before the end.`, 'warn')]],
      yes: 'stop and quit',
      onYes: () => this.ended.resolve(),
    });
  }

  rescan(dir: NodeId): void {
    if (this.restraint === 'imported') {
      this.tell('this is a scan from a file');
      return;
    }
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
