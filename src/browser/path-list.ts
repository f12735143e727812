import { bar } from '../screen/bar.ts';
import { fillLeft } from '../screen/cells.ts';
import { namedKey } from '../screen/key.ts';
import { row } from '../screen/key-table.ts';
import type { Look } from '../screen/look.ts';
import type { FrameLine } from '../screen/screen-frame.ts';
import type { Size } from '../screen/screen-model.ts';
import { type Line, type Span, span } from '../screen/span.ts';
import type { NodeId } from '../size-tree/node.ts';
import { shownSize } from '../size-tree/sort-order.ts';
import type { Browser } from './browser.ts';
import { askToDelete } from './change-entries.ts';
import { pathSpans } from './entry-line.ts';
import { infoPage, viewPage } from './entry-pages.ts';
import { EntryPane } from './entry-pane.ts';
import { sizeText } from './figures.ts';
import type { PageRule } from './frame.ts';
import { openEntry } from './open-entry.ts';
import { RowList } from './row-list.ts';

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
export function showEntry(browser: Browser, node: NodeId): void {
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
