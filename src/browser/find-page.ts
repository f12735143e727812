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
