import { figure } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import { bar } from '../../src/terminal/bar.ts';
import { fitLine } from '../../src/terminal/cells.ts';
import { pointed } from '../../src/terminal/cursor-list.ts';
import { durationText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { contentRows } from '../../src/terminal/screen-layout.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import type { BrowserPage } from './frame.ts';
import { withHelp } from './list-texts.ts';
import { RowList } from './row-list.ts';
import type { Task } from './task-queue.ts';
import { taskShare, taskText, toneOf } from './task-text.ts';
import { textPage } from './text-page.ts';

/** What runs, waits and has ended; a task can be stopped, its failures looked at and tried again. */
export function tasksPage(browser: Browser): BrowserPage {
  const { tasks } = browser;
  const list = new RowList();
  const current = () => tasks.tasks[list.cursor];
  return {
    keys() {
      const task = current();
      const only = (keys: string, isShown: boolean) => (isShown ? keys : '');
      const hasFailed = (task?.failed ?? 0) > 0;
      return withHelp(browser, [
        row('Esc', 'back', 'go back; also ←, q, h and T', () => browser.back(), {
          also: '← q h T',
        }),
        row('x', 'stop', '', () => task && tasks.cancel(task), {
          short: only('x', task !== undefined && task.endedMs === undefined),
        }),
        row(
          'Enter',
          'failures',
          'failures; also → and l',
          () => task && browser.open(failuresPage(browser, task)),
          { also: '→ l', short: only('Enter', hasFailed) },
        ),
        row('r', 'try again', '', () => task && retry(browser, task), {
          short: only('r', hasFailed),
        }),
        list.rule(tasks.tasks.length),
      ]);
    },
    frame(size, { glyphs }) {
      const all = tasks.tasks;
      const [first, end] = list.window(all.length, contentRows(size));
      const lines = all.slice(first, end).map((task, at) => {
        const selected = first + at === list.cursor;
        const share =
          task.state === 'running' ? [...bar(taskShare(task), 10, glyphs), span(' ')] : [];
        const ms = (task.endedMs ?? browser.nowMs()) - (task.startedMs ?? browser.nowMs());
        const time = task.startedMs === undefined ? '' : `  ${durationText(ms)}`;
        const line: Line = [
          ...share,
          span(taskText(task), toneOf(task)),
          span(task.state === 'waiting' ? '' : `  ${harmless(task.plan.subject)}`),
          span(time, 'dim'),
        ];
        const shown = pointed(line, selected, glyphs);
        return { selected, at: first + at, line: fitLine(shown, size.columns, glyphs.ellipsis) };
      });
      const none = [{ line: [span('  No tasks yet. d deletes, p copies.', 'dim')] }];
      return {
        subject: 'tasks',
        opens: true,
        aside: tasks.unfinished > 0 ? `${figure(tasks.unfinished)} to do` : '',
        lines: all.length === 0 ? none : lines,
      };
    },
  };
}

function retry(browser: Browser, task: Task): void {
  if (task.failed === 0) {
    browser.tell('nothing failed');
    return;
  }
  if (task.endedMs === undefined) {
    browser.tell('it still runs');
    return;
  }
  browser.tasks.retry(task);
}

function failuresPage(browser: Browser, task: Task): BrowserPage {
  return textPage({
    subject: 'what failed',
    text: (columns, { glyphs }) => {
      if (task.failures.length === 0) return [[span('  Nothing failed.', 'dim')]];
      const kept = task.failures.map(({ path, message }): Line => {
        const about = path === '' ? '' : `${harmless(path)}: `;
        return fitLine(
          [span(`  ${about}`), span(harmless(message), 'bad')],
          columns,
          glyphs.ellipsis,
        );
      });
      const more = task.failed - task.failures.length;
      return more > 0 ? [...kept, [span(`  and ${figure(more)} more`, 'dim')]] : kept;
    },
    keys: () =>
      task.failed === 0
        ? []
        : [
            row('r', 'try again', '', () => {
              browser.back();
              retry(browser, task);
            }),
          ],
    withHelp: (keys) => withHelp(browser, keys),
    back: () => browser.back(),
  });
}
