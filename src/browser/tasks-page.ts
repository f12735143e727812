import { harmless } from '../core/harmless.ts';
import { bar } from '../screen/bar.ts';
import { typed } from '../screen/key.ts';
import { type Line, span, type Tone } from '../screen/span.ts';
import type { Browser } from './browser.ts';
import { durationText } from './figures.ts';
import { fitLine } from './fit-line.ts';
import { type BrowserPage, contentRows } from './frame.ts';
import { RowList } from './row-list.ts';
import type { Task } from './task-queue.ts';
import { taskShare, taskText } from './task-text.ts';
import { textPage } from './text-page.ts';

/** What runs, waits and has ended; a task can be stopped, its failures looked at and tried again. */
export function tasksPage(browser: Browser): BrowserPage {
  const { tasks } = browser;
  const list = new RowList();
  const current = () => tasks.tasks[list.cursor];
  return {
    press(key) {
      if (list.press(key, tasks.tasks.length)) return;
      const letter = typed(key);
      const task = current();
      if (letter === 'x' && task !== undefined) tasks.cancel(task);
      else if (letter === 'r' && task !== undefined) retry(browser, task);
      else if (['enter', 'right'].includes(key.name) || letter === 'l') {
        if (task !== undefined) browser.open(failuresPage(browser, task));
      } else if (['escape', 'left'].includes(key.name) || ['q', 'h', 't'].includes(letter ?? '')) {
        browser.back();
      }
    },
    frame(size, { glyphs }) {
      const all = tasks.tasks;
      const [first, end] = list.window(all.length, contentRows(size, false));
      const lines = all.slice(first, end).map((task, at) => {
        const selected = first + at === list.cursor;
        const share = task.state === 'running' ? `[${bar(taskShare(task), 10, glyphs)}] ` : '';
        const ms = (task.endedMs ?? browser.nowMs()) - (task.startedMs ?? browser.nowMs());
        const time = task.startedMs === undefined ? '' : `  ${durationText(ms)}`;
        const line: Line = [
          span(`${selected ? glyphs.pointer : ' '} `, 'accent'),
          span(share, 'bar'),
          span(taskText(task), toneOf(task)),
          span(task.state === 'waiting' ? '' : `  ${harmless(task.plan.subject)}`),
          span(time, 'dim'),
        ];
        return { selected, line: fitLine(line, size.columns, glyphs.ellipsis) };
      });
      const none = [{ line: [span('  No tasks yet. d deletes, p copies.', 'dim')] }];
      const task = current();
      return {
        subject: 'tasks',
        aside: tasks.unfinished > 0 ? `${tasks.unfinished} to do` : '',
        lines: all.length === 0 ? none : lines,
        hints: [
          { keys: 'Esc', does: 'back' },
          ...(task?.endedMs === undefined && task !== undefined
            ? [{ keys: 'x', does: 'stop' }]
            : []),
          ...((task?.failed ?? 0) > 0
            ? [
                { keys: 'Enter', does: 'failures' },
                { keys: 'r', does: 'try again' },
              ]
            : []),
        ],
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

function toneOf({ state, failed }: Task): Tone {
  if (failed > 0) return 'bad';
  if (state === 'running') return 'accent';
  return state === 'done' ? 'good' : 'dim';
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
      return more > 0 ? [...kept, [span(`  and ${more} more`, 'dim')]] : kept;
    },
    press(key) {
      if (typed(key) !== 'r') return false;
      browser.back();
      retry(browser, task);
      return true;
    },
    hints: [{ keys: 'r', does: 'try again' }],
    back: () => browser.back(),
  });
}
