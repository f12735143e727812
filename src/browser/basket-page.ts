import { harmless } from '../core/harmless.ts';
import { typed } from '../screen/key.ts';
import { span } from '../screen/span.ts';
import type { Browser } from './browser.ts';
import { askToDelete } from './delete-entries.ts';
import { counted, plainSize, sizeText } from './figures.ts';
import { fitLine } from './fit-line.ts';
import { type BrowserPage, contentRows } from './frame.ts';
import { RowList } from './row-list.ts';
import { askWhereTo, download } from './transfer-entries.ts';

/** All marked entries, and what can be done with them. */
export function basketPage(browser: Browser): BrowserPage {
  const { marks, tree } = browser;
  const list = new RowList();
  return {
    press(key) {
      const nodes = marks.list();
      if (list.press(key, nodes.length)) return;
      const letter = typed(key);
      const current = nodes[list.cursor];
      if ((letter === 'v' || letter === ' ' || letter === 'u') && current !== undefined) {
        marks.set(current, false);
      } else if (letter === 'U') marks.clear();
      else if (letter === 'D' || letter === 'd') askToDelete(browser, marks.topmost());
      else if (letter === 'p') askWhereTo(browser, 'copy', marks.topmost());
      else if (letter === 'R') askWhereTo(browser, 'move', marks.topmost());
      else if (letter === 'w') download(browser, marks.topmost());
      else if (['escape', 'left'].includes(key.name) || ['q', 'h', 'b'].includes(letter ?? '')) {
        browser.back();
      }
    },
    frame(size, { glyphs }) {
      const nodes = marks.list();
      const { files, bytes } = marks.totals();
      const [first, end] = list.window(nodes.length, contentRows(size, true));
      const lines = nodes.slice(first, end).map((node, at) => {
        const selected = first + at === list.cursor;
        const line = [
          span(`${selected ? glyphs.pointer : ' '} ${sizeText(tree.size(node)).padStart(10)}  `),
          span(
            `${harmless(tree.path(node))}${tree.isDir(node) ? '/' : ''}`,
            tree.isDir(node) ? 'dir' : 'plain',
          ),
        ];
        return { selected, line: fitLine(line, size.columns, glyphs.ellipsis) };
      });
      const none = [{ line: [span('  Nothing is marked. Press v to mark an entry.', 'dim')] }];
      return {
        subject: 'basket',
        aside: counted(nodes.length, 'entry'),
        lines: nodes.length === 0 ? none : lines,
        status: [span(`${counted(files, 'file')}, ${plainSize(bytes)} in total`)],
        hints: nodes.length === 0 ? [BACK] : [BACK, ...BASKET_HINTS],
      };
    },
  };
}

const BACK = { keys: 'Esc', does: 'back' };

const BASKET_HINTS = [
  { keys: 'p', does: 'copy to' },
  { keys: 'R', does: 'move to' },
  { keys: 'w', does: 'download' },
  { keys: 'D', does: 'delete' },
  { keys: 'v', does: 'unmark' },
  { keys: 'U', does: 'unmark all' },
];
