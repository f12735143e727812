import { figure, harmless } from '../../src/core/shown-text.ts';
import { bar } from '../../src/terminal/bar.ts';
import { durationText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import type { Browser } from './browser.ts';
import { backRow, shownIf } from './list-texts.ts';
import { type BrowserPage, HELPS } from './page.ts';
import { RowList } from './row-list.ts';
import { rowsPage } from './rows.tsx';
import type { Task } from './task-queue.ts';
import { taskText, toneOf } from './task-text.ts';
import { textPage } from './text-page.tsx';

/** What runs, waits and has ended; a task can be stopped, its failures looked at and tried again. */
export function tasksPage(browser: Browser): BrowserPage {
  const { tasks } = browser;
  // The status line of a failure names this page.
  const failed = tasks.tasks.findLastIndex((task) => task.failed > 0);
  const list = new RowList(() => tasks.tasks, failed);
  return rowsPage({
    list,
    keys: (task) => {
      const failures = () => task && browser.open(failuresPage(browser, task));
      const canStop = task !== undefined && task.endedMs === undefined;
      return [
        backRow(() => browser.back(), 'T'),
        ...shownIf(
          canStop,
          row('x', 'stop', '', () => task && tasks.cancel(task)),
        ),
        ...shownIf(
          (task?.failed ?? 0) > 0,
          row('Enter', 'failures', 'failures; also → and l', failures, { also: '→ l' }),
          row('r', 'try again', '', () => task && retry(browser, task)),
        ),
        list.rule(),
        ...HELPS,
      ];
    },
    view: () => ({
      subject: 'tasks',
      aside: tasks.unfinished > 0 ? `${figure(tasks.unfinished)} to do` : '',
      none: 'No tasks yet. d deletes, p copies.',
      lineOf: (task, { glyphs }) => {
        const { state, startedMs, endedMs, plan, done, expected } = task;
        const ms = (endedMs ?? browser.nowMs()) - (startedMs ?? browser.nowMs());
        const kind = expected.bytes > 0 ? 'bytes' : 'files';
        const share = expected[kind] > 0 ? done[kind] / expected[kind] : 0;
        return [
          ...(state === 'running' ? [...bar(share, 10, glyphs), span(' ')] : []),
          span(taskText(task), toneOf(task)),
          span(state === 'waiting' ? '' : `  ${harmless(plan.subject)}`),
          span(startedMs === undefined ? '' : `  ${durationText(ms)}`, 'dim'),
        ];
      },
    }),
  });
}

function retry(browser: Browser, task: Task): void {
  if (task.failed === 0) browser.tell('nothing failed');
  else if (task.endedMs === undefined) browser.tell('it still runs');
  else browser.tasks.retry(task);
}

function failuresPage(browser: Browser, task: Task): BrowserPage {
  return textPage(browser, {
    subject: 'what failed',
    text: (columns) => {
      if (task.failures.length === 0) return [[span('  Nothing failed.', 'dim')]];
      // By their causes: a path in the text of one is none of the cause.
      const causes = Map.groupBy(task.failures, ({ path, message }) =>
        path === '' ? message : message.replace(`${path}: `, '').replaceAll(path, 'it'),
      );
      const kept = [...causes].flatMap(([cause, failures]): Line[] => [
        ...textLines(`  ${cause}`, columns, 'bad'),
        ...failures.flatMap(({ path }) => (path === '' ? [] : [[span(`    ${harmless(path)}`)]])),
      ]);
      const more = task.failed - task.failures.length;
      return more > 0 ? [...kept, [span(`  and ${figure(more)} more`, 'dim')]] : kept;
    },
    keys: () => {
      const again = row('r', 'try again', '', () => {
        browser.back();
        retry(browser, task);
      });
      return task.failed === 0 ? [] : [again];
    },
  });
}
