import { counted } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { fitLine } from '../../src/terminal/cells.ts';
import { pointed } from '../../src/terminal/cursor-list.ts';
import { plainSize, sizeText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import type { Look } from '../../src/terminal/look.ts';
import { contentRows } from '../../src/terminal/screen-layout.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { askToDelete, askWhereTo, download } from './change-entries.ts';
import type { BrowserPage } from './frame.ts';
import { withHelp } from './list-texts.ts';
import { RowList } from './row-list.ts';
import { statusLine } from './status-line.ts';
import { taskText, toneOf } from './task-text.ts';

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
      return withHelp(browser, [
        row('Esc', 'back', 'go back; also ←, q, h and B', () => browser.back(), {
          also: '← q h B',
        }),
        row('p', 'copy to', '', transfer, { short: only('p') }),
        row('P', 'move to', '', transfer, { short: only('P') }),
        row('w', 'download', '', () => download(browser, marks.topmost()), { short: only('w') }),
        row('D', 'delete', 'delete; also d', () => askToDelete(browser, marks.topmost()), {
          also: 'd',
          short: only('D'),
        }),
        row('v', 'unmark', 'unmark; also Space and u', unmark, {
          also: 'Space u',
          short: only('v'),
        }),
        row('U', 'unmark all', '', () => marks.clear(), { short: only('U') }),
        list.rule(nodes.length),
      ]);
    },
    frame(size, look) {
      const { glyphs } = look;
      const nodes = marks.list();
      const { order } = browser.settings;
      const { files, shown } = marks.totals(order);
      const [first, end] = list.window(nodes.length, contentRows(size, 1));
      const lines = nodes.slice(first, end).map((node, at) => {
        const selected = first + at === list.cursor;
        const line = [
          span(`${sizeText(shownSize(tree, node, order)).padStart(10)}  `),
          span(
            `${harmless(tree.path(node))}${tree.isDir(node) ? '/' : ''}`,
            tree.isDir(node) ? 'dir' : 'plain',
          ),
        ];
        const whole = pointed(line, selected, glyphs);
        return { selected, at: first + at, line: fitLine(whole, size.columns, glyphs.ellipsis) };
      });
      const none = [{ line: [span('  Nothing is marked. Press v to mark an entry.', 'dim')] }];
      return {
        subject: 'basket',
        opens: true,
        aside: counted(nodes.length, 'entry'),
        lines: nodes.length === 0 ? none : lines,
        status: basketStatus(browser, size.columns, look) ?? [
          span(`${counted(files, 'file')}, ${plainSize(shown)} in total`),
        ],
      };
    },
  };
}

/** What the last key did, or what is copied, moved or deleted now and where to. */
function basketStatus(browser: Browser, columns: number, look: Look): Line | undefined {
  const { message, tasks } = browser;
  if (message !== undefined) return statusLine(browser, columns, look);
  const task = tasks.current ?? tasks.tasks.at(-1);
  if (task === undefined) return undefined;
  const text = `${taskText(task)}  ${harmless(task.plan.subject)}`;
  return fitLine([span(text, toneOf(task))], columns, look.glyphs.ellipsis);
}
