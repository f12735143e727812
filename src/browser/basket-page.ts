import { harmless } from '../core/harmless.ts';
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
    keys() {
      const nodes = marks.list();
      const only = (keys: string) => (nodes.length > 0 ? keys : '');
      const unmark = () => {
        const current = nodes[list.cursor];
        if (current !== undefined) marks.set(current, false);
      };
      const transfer = (name: string) =>
        askWhereTo(browser, name === 'p' ? 'copy' : 'move', marks.topmost());
      return [
        {
          keys: 'Esc',
          also: '← q h b',
          does: 'back',
          more: 'go back; also ←, q, h and b',
          run: () => browser.back(),
        },
        { keys: 'p', short: only('p'), does: 'copy to', run: transfer },
        { keys: 'R', short: only('R'), does: 'move to', run: transfer },
        {
          keys: 'w',
          short: only('w'),
          does: 'download',
          run: () => download(browser, marks.topmost()),
        },
        {
          keys: 'D',
          also: 'd',
          short: only('D'),
          does: 'delete',
          more: 'delete; also d',
          run: () => askToDelete(browser, marks.topmost()),
        },
        {
          keys: 'v',
          also: 'Space u',
          short: only('v'),
          does: 'unmark',
          more: 'unmark; also Space and u',
          run: unmark,
        },
        { keys: 'U', short: only('U'), does: 'unmark all', run: () => marks.clear() },
        list.rule(nodes.length),
      ];
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
      };
    },
  };
}
