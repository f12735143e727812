import { counted } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { pointed } from '../../src/terminal/cursor-list.ts';
import { plainSize, sizeText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { askWhereTo, download } from './change-entries.ts';
import { askToDelete } from './delete-entries.ts';
import { withHelp } from './list-texts.ts';
import type { BrowserPage } from './page.ts';
import { PageFrame } from './page-frame.tsx';
import { RowList, Rows } from './row-list.tsx';
import { taskText, toneOf } from './task-text.ts';

/** All marked entries, and what can be done with them. */
export function basketPage(browser: Browser): BrowserPage {
  const { marks, tree } = browser;
  const list = new RowList();
  const page: BrowserPage = {
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
    view() {
      const nodes = marks.list();
      const { order } = browser.settings;
      return (
        <PageFrame
          page={page}
          browser={browser}
          subject="basket"
          aside={counted(nodes.length, 'entry')}
          status={basketStatus(browser)}
        >
          <Rows
            list={list}
            items={nodes}
            none="Nothing is marked. Press v to mark an entry."
            lineOf={(node, { selected, glyphs }) => {
              const isDir = tree.isDir(node);
              const path = `${harmless(tree.path(node))}${isDir ? '/' : ''}`;
              const size = `${sizeText(shownSize(tree, node, order)).padStart(10)}  `;
              return pointed([span(size), span(path, isDir ? 'dir' : 'plain')], selected, glyphs);
            }}
          />
        </PageFrame>
      );
    },
  };
  return page;
}

/** What is copied, moved or deleted now and where to, or how much is marked. */
function basketStatus({ marks, tasks, settings }: Browser): Line {
  const task = tasks.current ?? tasks.tasks.at(-1);
  if (task !== undefined) {
    return [span(`${taskText(task)}  ${harmless(task.plan.subject)}`, toneOf(task))];
  }
  const { files, shown } = marks.totals(settings.order);
  return [span(`${counted(files, 'file')}, ${plainSize(shown)} in total`)];
}
