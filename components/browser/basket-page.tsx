import { counted, harmless } from '../../src/core/shown-text.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { plainSize, sizeText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { askWhereTo, download, nameOf } from './change-entries.ts';
import { askToDelete } from './delete-entries.ts';
import { totalsOf } from './marks.ts';
import { type BrowserPage, backRow, HELPS, RowList, shownIf } from './page.ts';
import { rowsPage } from './page-frame.tsx';
import { taskText, toneOf } from './task-queue.ts';

/** All marked entries, and what can be done with them. */
export function basketPage(browser: Browser): BrowserPage {
  const { marks, tree, tasks } = browser;
  const list = new RowList(() => [...marks]);
  const transfer = (name: string) =>
    askWhereTo(browser, name === 'p' ? 'copy' : 'move', marks.topmost());
  return rowsPage({
    list,
    keys: (current) => {
      const unmark = () => current !== undefined && marks.delete(current);
      return [
        backRow(() => browser.back(), 'B'),
        ...shownIf(
          marks.size > 0,
          row('p', 'copy to', '', transfer),
          row('P', 'move to', '', transfer),
          row('w', 'download', '', () => download(browser, marks.topmost())),
          row('D', 'delete', 'delete; also d', () => askToDelete(browser, marks.topmost()), {
            also: 'd',
          }),
          row('v', 'unmark', 'unmark; also Space and u', unmark, { also: 'Space u' }),
          row('U', 'unmark all', '', () => marks.clear()),
        ),
        list.rule(),
        ...HELPS,
      ];
    },
    view: () => {
      const { order } = browser.settings;
      const task = tasks.current ?? tasks.tasks.at(-1);
      const marked = () => {
        const { files, shown } = totalsOf(tree, marks.topmost(), order);
        return `${counted(files, 'file')}, ${plainSize(shown)} in total`;
      };
      // What is copied, moved or deleted now and where to, or how much is marked.
      const status =
        task === undefined
          ? span(marked())
          : span(`${taskText(task)}  ${harmless(task.plan.subject)}`, toneOf(task));
      return {
        browser,
        subject: 'basket',
        aside: counted(marks.size, 'entry'),
        status: [status],
        none: 'Nothing is marked. Press v to mark an entry.',
        lineOf: (node) => {
          const { name, tone } = nameOf(browser, node);
          const size = sizeText(shownSize(tree, node, order)).padStart(10);
          return [span(`${size}  `), span(name, tone)];
        },
      };
    },
  });
}
