import { figure } from '../kit/counted.ts';
import { type Key, namedKey } from '../screen/key.ts';
import { row } from '../screen/key-table.ts';
import type { Look } from '../screen/look.ts';
import { contentRows } from '../screen/screen-layout.ts';
import type { Size } from '../screen/screen-model.ts';
import { type Line, span } from '../screen/span.ts';
import { editByKey, editText } from '../screen/text-edit.ts';
import { ROOT } from '../size-tree/node.ts';
import { type FoundPaths, PathSearch, wordsOf } from '../size-tree/path-search.ts';
import type { Browser } from './browser.ts';
import type { BrowserPage, PageFrame, PageRule } from './frame.ts';
import { PathList, showEntry } from './path-list.ts';
import { SlicedResult } from './sliced-result.ts';

const ENTER = namedKey('enter');

/** Paths that are listed; all that match are counted. */
const MOST_FOUND = 1000;

/** Finds entries in the whole scan while a part of their paths is typed, the best match first. */
export function findPage(browser: Browser): BrowserPage {
  return new FindPage(browser);
}

class FindPage implements BrowserPage {
  readonly #browser: Browser;
  readonly #search: PathSearch;
  readonly #found: SlicedResult<FoundPaths>;
  readonly #paths: PathList;
  #typed = editText('');
  /** The next result is that of another text: the cursor goes to the best match. */
  #isNew = false;
  /** Enter was pressed before the result was there. */
  #goes = false;

  constructor(browser: Browser) {
    this.#browser = browser;
    this.#search = new PathSearch(browser.tree);
    this.#found = new SlicedResult(browser, ({ nodes }) => this.#list(nodes));
    this.#paths = new PathList(browser, ROOT);
  }

  takesText(): boolean {
    return true;
  }

  keys(): readonly PageRule[] {
    const [move, go] = this.#paths.moveKeys();
    const back = () => {
      this.#found.stop();
      this.#browser.back();
    };
    const enter = () => {
      this.#goes = this.#found.isRunning;
      if (!this.#goes) go.run('Enter', ENTER);
    };
    const type = (_: string, key: Key) => {
      this.#typed = editByKey(this.#typed, key) ?? this.#typed;
      this.#goes = false;
      this.#isNew = true;
      this.#follow();
    };
    return [
      { ...go, run: enter },
      row('Esc', 'back', '', back),
      { ...move, also: 'PgUp PgDn', short: '↑↓' },
      row('any key', '', '', type),
    ];
  }

  pane(size: Size, look: Look): readonly Line[] {
    return this.#paths.pane(size, look);
  }

  frame(size: Size, look: Look): PageFrame {
    const query = this.#typed.text;
    this.#follow();
    const { value, isRunning } = this.#found;
    const rows = contentRows(size, 1);
    const lines = this.#paths.lines({ ...size, rows }, look, wordsOf(query));
    const hint =
      query.trim() === ''
        ? 'letters of a path in their order; words in any order'
        : isRunning
          ? 'searching'
          : 'no matching path';
    return {
      subject: `find in ${this.#browser.title}`,
      opens: true,
      aside: value === undefined || query === '' ? '' : `${figure(value.total)} found`,
      lines: lines.length > 0 ? lines : [{ line: [span(`  ${hint}`, 'dim')] }],
      field: { label: 'find', edited: this.#typed },
    };
  }

  #list(nodes: FoundPaths['nodes']): void {
    this.#paths.show(nodes, this.#isNew);
    this.#isNew = false;
    const { current } = this.#paths;
    if (this.#goes && current !== undefined) showEntry(this.#browser, current);
    this.#goes = false;
  }

  #follow(): void {
    const query = this.#typed.text;
    this.#found.follow(query, () => this.#search.find(query, MOST_FOUND));
  }
}
