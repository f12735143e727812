import { linkedAbort } from '../../src/core/context.ts';
import { toSyncerError } from '../../src/core/errors.ts';
import type { KeptView } from '../../src/size-tree/browser-effects.ts';
import { findNode } from '../../src/size-tree/find-node.ts';
import { isNodeWithin, type NodeId, ROOT } from '../../src/size-tree/node.ts';
import type { Browser, ScanState } from './browser.ts';
import { isOld } from './entry-pages.ts';

/** How often the figures of a scan are looked at, in milliseconds. */
const LOOK_MS = 100;

/** Scans of more entries are compared only if that is asked for: it takes as much memory again. */
const MOST_COMPARED = 200_000;

/** The scans of a browser, one at a time: that of before, the first, and those that are asked for. */
export class ScanRun {
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
    const isRead = kept !== undefined && (await this.#readKept(kept));
    if (!this.#isClosed) await this.#scan(ROOT, isRead ? kept.age : undefined);
  }

  async #readKept({ age, read }: KeptView): Promise<boolean> {
    const { tree } = this.#browser;
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
