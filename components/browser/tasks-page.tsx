import { figure } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import { bar } from '../../src/terminal/bar.ts';
import { durationText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import type { Browser } from './browser.ts';
import { backRow, shownIf } from './list-texts.ts';
import { type BrowserPage, HELPS } from './page.ts';
import { RowList } from './row-list.ts';
import { rowsPage } from './rows.tsx';
import type { Task } from './task-queue.ts';
import { taskShare, taskText, toneOf } from './task-text.ts';
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
      lineOf: (task, { glyphs }) => taskLine(browser, task, glyphs),
    }),
  });
}

function taskLine({ nowMs }: Browser, task: Task, glyphs: Glyphs): Line {
  const { state, startedMs, endedMs, plan } = task;
  const share = state === 'running' ? [...bar(taskShare(task), 10, glyphs), span(' ')] : [];
  const ms = (endedMs ?? nowMs()) - (startedMs ?? nowMs());
  return [
    ...share,
    span(taskText(task), toneOf(task)),
    span(state === 'waiting' ? '' : `  ${harmless(plan.subject)}`),
    span(startedMs === undefined ? '' : `  ${durationText(ms)}`, 'dim'),
  ];
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

/** What failed by its cause: a path in the text of one is none of the cause. */
function causesOf({ failures }: Task): ReadonlyMap<string, readonly string[]> {
  const causes = new Map<string, string[]>();
  for (const { path, message } of failures) {
    const cause = path === '' ? message : message.replace(`${path}: `, '').replaceAll(path, 'it');
    const paths = causes.get(cause) ?? [];
    if (path !== '') paths.push(path);
    causes.set(cause, paths);
  }
  return causes;
}

function failuresPage(browser: Browser, task: Task): BrowserPage {
  return textPage(browser, {
    subject: 'what failed',
    text: (columns) => {
      if (task.failures.length === 0) return [[span('  Nothing failed.', 'dim')]];
      const kept = [...causesOf(task)].flatMap(([cause, paths]): Line[] => [
        ...textLines(`  ${cause}`, columns, 'bad'),
        ...paths.map((path) => [span(`    ${harmless(path)}`)]),
      ]);
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
  });
}
