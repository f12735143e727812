import { figure } from '../../src/core/counted.ts';
import { type NodeId, ROOT } from '../../src/size-tree/node.ts';
import { type FoundPaths, PathSearch, wordsOf } from '../../src/size-tree/path-search.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { bar } from '../../src/terminal/bar.ts';
import { fillLeft } from '../../src/terminal/cells.ts';
import { sizeText } from '../../src/terminal/figures.ts';
import { type Key, namedKey } from '../../src/terminal/key.ts';
import { row } from '../../src/terminal/key-table.ts';
import type { Look } from '../../src/terminal/look.ts';
import type { FrameLine } from '../../src/terminal/screen-frame.ts';
import { contentRows } from '../../src/terminal/screen-layout.ts';
import type { Size } from '../../src/terminal/screen-model.ts';
import { type Line, type Span, span } from '../../src/terminal/span.ts';
import { editByKey, editText } from '../../src/terminal/text-edit.ts';
import type { Browser } from './browser.ts';
import { askToDelete } from './change-entries.ts';
import { EntryPane, pathSpans } from './entry-line.ts';
import { infoPage, viewPage } from './entry-pages.ts';
import type { BrowserPage, PageFrame, PageRule } from './frame.ts';
import { openEntry } from './open-entry.ts';
import { RowList } from './row-list.ts';
import { SlicedResult } from './sliced-result.ts';

/** From this width on there are bars. */
const BAR_FROM = 60;

/** Entries of any directories with their paths, and a cursor. */
export class PathList {
  readonly #browser: Browser;
  readonly #base: NodeId;
  readonly #pane: EntryPane;
  #list = new RowList();
  #nodes: readonly NodeId[] = [];

  /** @param base paths are shown below it */
  constructor(browser: Browser, base: NodeId) {
    this.#browser = browser;
    this.#base = base;
    this.#pane = new EntryPane(browser);
  }

  get current(): NodeId | undefined {
    return this.#nodes[this.#list.cursor];
  }

  /** Shows these, as far as they are there; the cursor goes to the first with `fromStart`. */
  show(nodes: readonly NodeId[], fromStart = false): void {
    this.#nodes = nodes.filter((node) => this.#browser.tree.isThere(node));
    if (fromStart) this.#list = new RowList();
  }

  /** The rows for keys that move, and for Enter. */
  moveKeys(): readonly [move: PageRule, go: PageRule] {
    const go = () => {
      if (this.current !== undefined) showEntry(this.#browser, this.current);
    };
    return [
      this.#list.rule(this.#nodes.length),
      row('Enter', 'go to', 'show it in its directory', go),
    ];
  }

  /** The rows for keys that do something with an entry. */
  entryKeys(): readonly PageRule[] {
    const browser = this.#browser;
    const { marks } = browser;
    const short = (keys: string) => ({ short: this.current === undefined ? '' : keys });
    const onCurrent = (act: (node: NodeId, name: string) => void) => (name: string) => {
      if (this.current !== undefined) act(this.current, name);
    };
    const mark = onCurrent((node, name) => {
      marks.toggle(node);
      if (name === 'Space') this.#list.rule(this.#nodes.length).run('↓', namedKey('down'));
    });
    const info = onCurrent((node) => browser.open(infoPage(browser, node)));
    const view = onCurrent((node) => {
      if (browser.tree.isDir(node)) showEntry(browser, node);
      else browser.open(viewPage(browser, node));
    });
    const open = onCurrent((node) => openEntry(browser, node, 'pager'));
    const remove = onCurrent((node) => askToDelete(browser, [node]));
    return [
      row('v Space', 'mark', '', mark, short('v')),
      row('d', 'delete', '', remove, short('d')),
      row('D', 'delete marked', '', () => askToDelete(browser, marks.topmost()), {
        short: marks.size === 0 ? '' : 'D',
      }),
      row('i', 'info', '', info, short('i')),
      row('→ l', 'view', 'view the file', view, short('→')),
      row('o', 'open', 'open the file in $PAGER', open, short('o')),
    ];
  }

  pane(size: Size, look: Look): readonly Line[] {
    return this.#pane.lines(this.current, size, look);
  }

  /** At most `rows` lines; the letters of the words are highlighted in the paths. */
  lines(
    { columns, rows }: Size,
    { glyphs }: Look,
    words: readonly string[] = [],
  ): readonly FrameLine[] {
    const { tree, marks, settings } = this.#browser;
    this.show(this.#nodes);
    const [first, end] = this.#list.window(this.#nodes.length, rows);
    const sizes = this.#nodes.map((node) => shownSize(tree, node, settings.order));
    const largest = Math.max(1, ...sizes);
    const base = tree.path(this.#base);
    return this.#nodes.slice(first, end).map((node, at): FrameLine => {
      const selected = first + at === this.#list.cursor;
      const marked = marks.has(node);
      const size = sizes[first + at] ?? 0;
      const whole = tree.path(node);
      const path = whole.slice(base === '' ? 0 : base.length + 1);
      const isBar = columns >= BAR_FROM;
      const text = tree.isSizeUnknown(node) ? '?' : sizeText(size, !settings.human);
      const room = columns - (isBar ? 27 : 16) - (settings.human ? 0 : 10);
      const line: Span[] = [
        span(selected ? glyphs.pointer : ' ', 'accent'),
        span(marked ? glyphs.mark : ' ', 'marked', true),
        span(fillLeft(text, settings.human ? 11 : 21)),
        ...(isBar ? [span(' '), ...bar(size / largest, 10, glyphs)] : []),
        span('  '),
        ...pathSpans(path, tree.isDir(node), words, room, glyphs.ellipsis),
      ];
      return { selected, at: first + at, line };
    });
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

const ENTER = namedKey('enter');

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

  return {
    takesText(): boolean {
      return true;
    },
    keys(): readonly PageRule[] {
      const [move, go] = paths.moveKeys();
      const back = () => {
        found.stop();
        browser.back();
      };
      const enter = () => {
        goes = found.isRunning;
        if (!goes) go.run('Enter', ENTER);
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
        row('any key', '', '', type),
      ];
    },
    pane(size: Size, look: Look): readonly Line[] {
      return paths.pane(size, look);
    },
    frame(size: Size, look: Look): PageFrame {
      const query = typed.text;
      follow();
      const { value, isRunning } = found;
      const rows = contentRows(size, 1);
      const lines = paths.lines({ ...size, rows }, look, wordsOf(query));
      const hint =
        query.trim() === ''
          ? 'letters of a path in their order; words in any order'
          : isRunning
            ? 'searching'
            : 'no matching path';
      return {
        subject: `find in ${browser.title}`,
        opens: true,
        aside: value === undefined || query === '' ? '' : `${figure(value.total)} found`,
        lines: lines.length > 0 ? lines : [{ line: [span(`  ${hint}`, 'dim')] }],
        field: { label: 'find', edited: typed },
      };
    },
  };

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
