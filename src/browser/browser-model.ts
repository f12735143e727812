import { SyncerError, toSyncerError } from '../core/errors.ts';
import { linkedAbort } from '../kit/abort.ts';
import { counted } from '../kit/counted.ts';
import type { Key } from '../screen/key.ts';
import { keyName, row, ruleOf } from '../screen/key-table.ts';
import type { Look } from '../screen/look.ts';
import type { ScreenFrame } from '../screen/screen-frame.ts';
import { layoutOf } from '../screen/screen-layout.ts';
import type { Size } from '../screen/screen-model.ts';
import { span, type Tone } from '../screen/span.ts';
import { StateScreen, stepTo } from '../screen/state-screen.ts';
import { type NodeId, ROOT } from '../size-tree/node.ts';
import type { SizeTree } from '../size-tree/size-tree.ts';
import type { Browser, Message } from './browser.ts';
import type { BrowserEffects, KeptView, Restraint } from './browser-effects.ts';
import { type BrowserSettings, FIRST_SETTINGS } from './browser-settings.ts';
import { changesPage } from './changes-page.ts';
import { confirmPage } from './confirm-page.ts';
import { DirRows } from './dir-rows.ts';
import { type BrowserPage, type PageRule, pageFrame } from './frame.ts';
import { BrowserList } from './list-page.ts';
import { Marks } from './marks.ts';
import type { ScanState } from './scan-state.ts';
import { takeOver } from './take-over.ts';
import { TaskQueue } from './task-queue.ts';
import { taskText } from './task-text.ts';

/** What a browser begins with. */
export interface BrowserParts {
  readonly tree: SizeTree;
  /** What is browsed: `photos:2024`. */
  readonly title: string;
  readonly effects: BrowserEffects;
  readonly restraint?: Restraint;
  /** Milliseconds from any start. */
  readonly nowMs: () => number;
  /** The tree is scanned already. */
  readonly isScanned?: boolean;
  /** Begins with what has changed since a scan of before. */
  readonly showsChanges?: boolean;
}

/** What of the browser changes by keys and by its scans; the tree, the rows, marks and tasks change in place. */
interface BrowserState {
  /** The last one takes the keys. */
  readonly pages: readonly BrowserPage[];
  readonly settings: BrowserSettings;
  readonly message: Message | undefined;
  readonly scan: ScanState;
  /** Nothing at all is to be drawn now. */
  readonly isBlank: boolean;
}

type BrowserEnd = { readonly type: 'end'; readonly error?: unknown };

/** The browser of sizes: pages over the list of a directory, a scan and tasks in the background. */
export class BrowserModel extends StateScreen<BrowserState, BrowserEnd> implements Browser {
  readonly tree: SizeTree;
  readonly title: string;
  readonly effects: BrowserEffects;
  readonly rows: DirRows;
  readonly marks: Marks;
  readonly tasks: TaskQueue;
  readonly nowMs: () => number;
  readonly #restraint: Restraint | undefined;
  #scanEnd: AbortController | undefined;
  #scanning: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: BrowserParts) {
    const { tree, title, effects, restraint, nowMs, isScanned = false } = parts;
    const startedMs = nowMs();
    super({
      ...{ pages: [], settings: FIRST_SETTINGS, message: undefined, isBlank: false },
      scan: {
        ...{ state: 'done', path: '', into: ROOT, nodesBefore: 0 },
        ...{ startedMs, endedMs: startedMs },
      },
    });
    this.tree = tree;
    this.title = title;
    this.effects = effects;
    this.#restraint = restraint;
    this.nowMs = nowMs;
    this.marks = new Marks(tree);
    this.tasks = new TaskQueue(() => this.changed(), nowMs);
    this.rows = new DirRows(tree, ROOT, this.settings.order, nowMs);
    // A scan may fail before anybody waits for the end.
    this.result.catch(() => undefined);
    this.open(new BrowserList(this));
    if (parts.showsChanges) this.open(changesPage(this));
    if (isScanned) return;
    if (effects.kept === undefined) this.#startScan(ROOT);
    else this.#scanning = this.#beginKept(effects.kept());
  }

  /** Why nothing is deleted or moved; absent where it is. */
  get restraint(): Restraint | undefined {
    return this.scan.keptAge === undefined ? this.#restraint : 'kept';
  }

  get settings(): BrowserSettings {
    return this.state.settings;
  }

  set settings(settings: BrowserSettings) {
    this.#set({ settings });
  }

  get scan(): ScanState {
    return this.state.scan;
  }

  get message(): Message | undefined {
    return this.state.message;
  }

  get isBlank(): boolean {
    return this.state.isBlank;
  }

  override takesText(): boolean {
    return this.#top().takesText?.() ?? false;
  }

  /** The keys that work now. */
  keys(): readonly PageRule[] {
    const error = new SyncerError('interrupted', 'stopped by Ctrl-C');
    const run = () => this.#end(error);
    return [row('Ctrl-C', '', '', run), ...this.#top().keys()];
  }

  protected override takeKey(key: Key) {
    this.#set({ message: undefined });
    const rule = ruleOf(this.keys(), key);
    const run = () => rule?.run(keyName(key), key);
    const page = this.#top();
    if (page.take === undefined) run();
    else page.take(run);
    return stepTo(this.state);
  }

  protected override carryOut({ error }: BrowserEnd): void {
    if (error === undefined) this.ended.resolve();
    else this.ended.reject(error);
  }

  /** What is to be drawn. */
  frame(size: Size, look: Look): ScreenFrame {
    this.#comeBack();
    const page = this.#top();
    const below = layoutOf(size, false).isWide && page.isBox ? this.state.pages.at(-2) : undefined;
    const frame = pageFrame(page, size, look);
    const hints = page.footer?.() ?? page.keys();
    if (below === undefined) return { ...frame, hints };
    const { lines, subject } = frame;
    const box = [[span(subject, 'title')], [], ...lines.map(({ line }) => line)];
    return { ...pageFrame(below, size, look), box, hints };
  }

  open(page: BrowserPage): void {
    this.#set({ pages: [...this.state.pages, page] });
  }

  back(count = 1): void {
    const { pages } = this.state;
    this.#set({ pages: pages.slice(0, Math.max(1, pages.length - count)) });
  }

  tell(text: string, tone: Tone = 'plain'): void {
    this.#set({ message: { text, tone } });
  }

  override changed(): void {
    super.changed();
  }

  redraw(): void {
    this.effects.clearScreen();
    // Only lines that change are written: after an empty frame all of them do.
    this.#set({ isBlank: true });
    setTimeout(() => this.#set({ isBlank: false }), BLANK_MS).unref?.();
  }

  stopScan(): void {
    if (this.#scanEnd === undefined) this.tell('no scan is running');
    this.#scanEnd?.abort(new Error('the scan was stopped'));
  }

  leave(): void {
    const { unfinished } = this.tasks;
    if (unfinished === 0) {
      this.#end();
      return;
    }
    this.open(
      confirmPage({
        subject: 'quit?',
        lines: [[span(`  ${counted(unfinished, 'task')} will be stopped before the end.`, 'warn')]],
        yes: 'stop and quit',
        onYes: () => this.#end(),
        back: () => this.back(),
      }),
    );
  }

  rescan(dir: NodeId): void {
    if (this.restraint === 'imported') {
      this.tell('this is a scan from a file');
      return;
    }
    if (this.#scanEnd !== undefined) {
      this.tell('a scan is still running; x stops it');
      return;
    }
    // A part that is new would not make the rest so.
    this.#startScan(this.scan.keptAge === undefined ? dir : ROOT);
  }

  /** What was done, for the terminal after the screen is gone. */
  summary(): readonly string[] {
    return this.tasks.tasks
      .filter(({ startedMs }) => startedMs !== undefined)
      .map((task) => `${task.plan.verb} ${task.plan.subject}: ${taskText(task)}`);
  }

  /** Stops the scan and all tasks. Resolves to `stopped` if tasks were unfinished, to `other` if something failed. */
  async close(): Promise<SyncerError | undefined> {
    this.#isClosed = true;
    const stopped = this.tasks.unfinished;
    this.#scanEnd?.abort(new Error('the browser was left'));
    await Promise.all([this.#scanning, this.tasks.close()]);
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

  #top(): BrowserPage {
    return this.state.pages.at(-1) as BrowserPage;
  }

  #set(news: Partial<BrowserState>): void {
    this.show({ ...this.state, ...news });
  }

  #end(error?: unknown): void {
    this.apply(stepTo(this.state, { type: 'end', ...(error === undefined ? {} : { error }) }));
  }

  #startScan(dir: NodeId): void {
    this.#scanning = this.#runScan(dir, this.scan.keptAge);
  }

  /** Shows the scan of before, if there is one, and scans again. */
  async #beginKept(finding: Promise<KeptView | undefined>): Promise<void> {
    const { end } = this.#begin({ state: 'running', path: '', into: ROOT });
    const kept = await finding.catch(() => undefined);
    end();
    if (this.#isClosed) return;
    const isRead = kept !== undefined && (await this.#readKept(kept));
    if (!this.#isClosed) await this.#runScan(ROOT, isRead ? kept.age : undefined);
  }

  async #readKept({ age, read }: KeptView): Promise<boolean> {
    const { tree } = this;
    const { op, end } = this.#begin({ state: 'reading', keptAge: age, path: '', into: ROOT });
    try {
      await read(op);
      return true;
    } catch {
      tree.remove(tree.children(ROOT));
      tree.setError(ROOT, undefined);
      tree.setListed(ROOT, false);
      return false;
    } finally {
      end();
    }
  }

  /** Something runs that `x` stops, and whose figures are looked at, until `end`. */
  #begin(scan: Pick<ScanState, 'state' | 'keptAge' | 'path' | 'into'>) {
    const startedMs = this.nowMs();
    const ending = linkedAbort();
    this.#scanEnd = ending;
    const nodesBefore = this.tree.nodes;
    const state: ScanState = { ...scan, startedMs, nodesBefore, endedMs: undefined };
    this.#set({ scan: state });
    const looking = setInterval(() => this.changed(), LOOK_MS);
    looking.unref?.();
    const end = () => {
      clearInterval(looking);
      this.#scanEnd = undefined;
    };
    return { op: { signal: ending.signal }, state, end };
  }

  async #runScan(dir: NodeId, age: string | undefined): Promise<void> {
    const { tree, effects } = this;
    const isFirst = dir === ROOT && tree.childCount(ROOT) === 0;
    const path = tree.path(dir);
    const into = isFirst ? ROOT : tree.addRoot();
    let keptAge = age;
    const { op, state: begun, end } = this.#begin({ state: 'running', keptAge, path, into });
    let state: ScanState['state'] = 'done';
    try {
      await effects.scan(into, path, () => (isFirst ? this.rows.dir : undefined), op);
      if (!isFirst) takeOver(this, dir, into);
      if (dir === ROOT) {
        keptAge = undefined;
        effects.listed?.().catch(() => undefined);
      }
    } catch (thrown) {
      const { message, code } = toSyncerError(thrown);
      if (op.signal.aborted) state = 'stopped';
      else if (dir === ROOT && (isFirst || keptAge !== undefined)) this.#end(thrown);
      else if (code === 'directory-not-found' && dir !== ROOT) tree.remove([dir]);
      else if (tree.isThere(dir)) tree.setError(dir, message);
    }
    end();
    this.rows.refresh(true);
    this.#set({ scan: { ...begun, state, keptAge, endedMs: this.nowMs() } });
  }

  /** Goes up from a directory that is not there any more. */
  #comeBack(): void {
    const { tree, rows } = this;
    let dir = rows.dir;
    while (dir !== ROOT && !tree.isThere(dir)) dir = Math.max(ROOT, tree.parent(dir));
    if (dir !== rows.dir) rows.open(dir);
  }
}

/** How often the figures of a scan are looked at, in milliseconds. */
const LOOK_MS = 100;

/** How long the screen is empty before a redraw, in milliseconds. */
const BLANK_MS = 50;
