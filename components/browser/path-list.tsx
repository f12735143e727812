import { setImmediate as turn } from 'node:timers/promises';
import { figure } from '../../src/core/shown-text.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import { type FoundPaths, PathSearch, wordsOf } from '../../src/size-tree/path-search.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { block } from '../../src/terminal/bar.ts';
import { fillLeft } from '../../src/terminal/cells.ts';
import { sizeText } from '../../src/terminal/figures.ts';
import type { Key } from '../../src/terminal/key.ts';
import { row, typing } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { editByKey, editText } from '../../src/terminal/text-edit.ts';
import { LinesIn } from '../ui/text.tsx';
import type { Browser } from './browser.ts';
import { askToDelete } from './delete-entries.ts';
import { pathSpans } from './entry-line.ts';
import { infoPage, viewPage } from './entry-pages.ts';
import { EntryPane } from './entry-pane.ts';
import { type BrowserPage, type PageRule, RowList } from './page.ts';
import { type RowLook, rowsPage } from './page-frame.tsx';
import { openEntry } from './place-entries.ts';

/** From this width on there are bars. */
const BAR_FROM = 60;

/** Entries of any directories with their paths, and a cursor. */
export class PathList {
  readonly #browser: Browser;
  readonly #base: NodeId;
  readonly #pane: EntryPane;
  readonly list = new RowList(() => this.#nodes);
  #nodes: readonly NodeId[] = [];

  /** @param base paths are shown below it */
  constructor(browser: Browser, base: NodeId) {
    this.#browser = browser;
    this.#base = base;
    this.#pane = new EntryPane(browser);
  }

  get current(): NodeId | undefined {
    return this.list.current;
  }

  /** Shows these, as far as they are there; the cursor goes to the first with `fromStart`. */
  show(nodes: readonly NodeId[], fromStart = false): void {
    this.#nodes = nodes.filter((node) => this.#browser.tree.isThere(node));
    if (fromStart) this.list.cursor = 0;
  }

  moveKeys(): readonly [move: PageRule, go: PageRule] {
    const go = () => {
      if (this.current !== undefined) showEntry(this.#browser, this.current);
    };
    return [this.list.rule(), row('Enter', 'go to', 'show it in its directory', go)];
  }

  entryKeys(): readonly PageRule[] {
    const browser = this.#browser;
    const hasEntry = this.current !== undefined;
    const short = (keys: string) => ({ short: hasEntry ? keys : '' });
    const on = (act: (node: NodeId) => void) => () => {
      if (this.current !== undefined) act(this.current);
    };
    const next = () => this.list.move(1);
    const view = on((node) => {
      if (browser.tree.isDir(node)) showEntry(browser, node);
      else browser.open(viewPage(browser, node));
    });
    const open = on((node) => openEntry(browser, node, 'pager'));
    return [
      ...entryKeys(browser, hasEntry, on, next),
      row('→ l', 'view', 'view the file', view, short('→')),
      row('o', 'open', 'open the file in $PAGER', open, short('o')),
    ];
  }

  /**
   * What is shown, and beside it what is known of the entry under the cursor.
   * @param none stands where there are none
   * @param words their letters are highlighted in the paths
   */
  shown(none: string, words: readonly string[] = []) {
    const { tree, marks, settings } = this.#browser;
    this.show(this.#nodes);
    const sizes = this.#nodes.map((node) => shownSize(tree, node, settings.order));
    const largest = sizes.reduce((most, size) => Math.max(most, size), 1);
    const base = tree.path(this.#base);
    const lineOf = (node: NodeId, { at, columns, glyphs }: RowLook): Line => {
      const size = sizes[at] ?? 0;
      const path = tree.path(node).slice(base === '' ? 0 : base.length + 1);
      const isBar = columns >= BAR_FROM;
      const text = tree.isSizeUnknown(node) ? '?' : sizeText(size, !settings.human);
      const room = columns - (isBar ? 27 : 16) - (settings.human ? 0 : 10);
      return [
        span(fillLeft(text, settings.human ? 11 : 21)),
        ...(isBar ? [span(' '), ...block(size / largest, 10, glyphs)] : []),
        span('  '),
        ...pathSpans(path, tree.isDir(node), words, room, glyphs.ellipsis),
      ];
    };
    return {
      none,
      lineOf,
      isMarked: (node: NodeId) => marks.has(node),
      pane: <LinesIn lines={(room, look) => this.#pane.lines(this.current, room, look)} />,
    };
  }
}

/** Goes back to the list, and there to an entry in its directory. */
function showEntry(browser: Browser, node: NodeId): void {
  const { rows, tree } = browser;
  browser.back(Number.POSITIVE_INFINITY);
  rows.open(Math.max(0, tree.parent(node)), node);
  if (rows.current === node) return;
  browser.settings = {
    ...browser.settings,
    order: { ...browser.settings.order, hidesDotfiles: false, hiddenNames: '' },
  };
  rows.setOrder(browser.settings.order);
  rows.open(rows.dir, node);
}

/** Paths that are listed; all that match are counted. */
const MOST_FOUND = 1000;

/** Finds entries in the whole scan while a part of their paths is typed, the best match first. */
export function findPage(browser: Browser): BrowserPage {
  let typed = editText('');
  /** The next result is that of another text: the cursor goes to the best match. */
  let isNew = false;
  /** Enter was pressed before the result was there. */
  let goes = false;
  const search = new PathSearch(browser.tree);
  const found = new SlicedResult<FoundPaths>(browser, ({ nodes }) => list(nodes));
  const paths = new PathList(browser, ROOT);

  const keys = (): readonly PageRule[] => {
    const [move, go] = paths.moveKeys();
    const back = () => {
      found.stop();
      browser.back();
    };
    const enter = (name: string, key: Key) => {
      goes = found.isRunning;
      if (!goes) go.run(name, key);
    };
    const type = (_: string, key: Key) => {
      typed = editByKey(typed, key) ?? typed;
      goes = false;
      isNew = true;
      follow();
    };
    return [
      { ...go, run: enter },
      row('Esc', 'back', '', back),
      { ...move, also: 'PgUp PgDn', short: '↑↓' },
      typing(type),
    ];
  };
  const view = () => {
    const query = typed.text;
    follow();
    const { value, isRunning } = found;
    const hint = isRunning ? 'searching' : 'no matching path';
    const none =
      query.trim() === '' ? 'letters of a path in their order; words in any order' : hint;
    return {
      ...paths.shown(none, wordsOf(query)),
      subject: `find in ${browser.title}`,
      aside: value === undefined || query === '' ? '' : `${figure(value.total)} found`,
      field: { label: 'find', edited: typed },
    };
  };
  return rowsPage({ list: paths.list, keys, view });

  function list(nodes: FoundPaths['nodes']): void {
    paths.show(nodes, isNew);
    isNew = false;
    const { current } = paths;
    if (goes && current !== undefined) showEntry(browser, current);
    goes = false;
  }

  function follow(): void {
    const query = typed.text;
    found.follow(query, () => search.find(query, MOST_FOUND));
  }
}

/** How long work goes on before keys have their turn, in milliseconds. */
const SLICE_MS = 8;

/** The pause before what follows a changing tree is computed again: times that it took last. */
const PAUSE_FACTOR = 10;

/** What is computed over the whole tree between two keys; the last result is shown until the next one is there. */
export class SlicedResult<T> {
  readonly #browser: Browser;
  readonly #done: (value: T) => void;
  value: T | undefined;
  isRunning = false;
  #key: string | undefined;
  #version = -1;
  #nextMs = 0;
  #ending = new AbortController();

  constructor(browser: Browser, done: (value: T) => void = () => {}) {
    this.#browser = browser;
    this.#done = done;
  }

  /** Computes again for another key, immediately, and after a change of the tree, when it is due. */
  follow(key: string, work: () => Generator<void, T>): void {
    const { tree } = this.#browser;
    const isSame = key === this.#key;
    const isDue = !this.isRunning && this.#browser.nowMs() >= this.#nextMs;
    if (isSame && (tree.version === this.#version || !isDue)) return;
    this.stop();
    this.#key = key;
    this.#version = tree.version;
    this.isRunning = true;
    this.#ending = new AbortController();
    this.#run(work(), this.#ending.signal).catch(() => undefined);
  }

  stop(): void {
    this.isRunning = false;
    this.#ending.abort(new Error('not wanted any more'));
  }

  async #run(work: Generator<void, T>, signal: AbortSignal): Promise<void> {
    const startedMs = this.#browser.nowMs();
    // The frame of the key is drawn first.
    await turn();
    signal.throwIfAborted();
    for (let until = performance.now() + SLICE_MS; ; ) {
      const { done, value } = work.next();
      if (done === true) {
        this.value = value;
        this.isRunning = false;
        this.#done(value);
        break;
      }
      if (performance.now() < until) continue;
      await turn();
      signal.throwIfAborted();
      until = performance.now() + SLICE_MS;
    }
    const tookMs = this.#browser.nowMs() - startedMs;
    this.#nextMs = this.#browser.nowMs() + Math.max(1000, PAUSE_FACTOR * tookMs);
    this.#browser.changed();
  }
}

/**
 * The keys that mark, delete and look at entries of a list without all keys of the browser. @param next to the next entry
 * @param on runs an act with the entry under the cursor, if there is one
 */
export function entryKeys(
  browser: Browser,
  hasEntry: boolean,
  on: (act: (node: NodeId) => void) => () => void,
  next: () => void,
): readonly PageRule[] {
  const { marks } = browser;
  const short = (keys: string) => ({ short: hasEntry ? keys : '' });
  const mark = (name: string) => {
    on((node) => marks.toggle(node))();
    if (name === 'Space') next();
  };
  const remove = on((node) => askToDelete(browser, [node]));
  const info = on((node) => browser.open(infoPage(browser, node)));
  return [
    row('v Space', 'mark', '', mark, short('v')),
    row('d', 'delete', '', remove, short('d')),
    row('D', 'delete marked', '', () => askToDelete(browser, marks.topmost()), {
      short: marks.size === 0 ? '' : 'D',
    }),
    row('i', 'info', '', info, short('i')),
  ];
}
