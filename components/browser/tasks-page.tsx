import { figure } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import { bar } from '../../src/terminal/bar.ts';
import { fitLine, wrap } from '../../src/terminal/cells.ts';
import { pointed } from '../../src/terminal/cursor-list.ts';
import { durationText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import type { Glyphs } from '../../src/terminal/look.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import { withHelp } from './list-texts.ts';
import type { BrowserPage } from './page.ts';
import { PageFrame } from './page-frame.tsx';
import { RowList, Rows } from './row-list.tsx';
import type { Task } from './task-queue.ts';
import { taskShare, taskText, toneOf } from './task-text.ts';
import { textPage } from './text-page.tsx';

/** What runs, waits and has ended; a task can be stopped, its failures looked at and tried again. */
export function tasksPage(browser: Browser): BrowserPage {
  const { tasks } = browser;
  // The status line of a failure names this page.
  const list = new RowList(
    Math.max(
      0,
      tasks.tasks.findLastIndex(({ failed }) => failed > 0),
    ),
  );
  const current = () => tasks.tasks[list.cursor];
  const page: BrowserPage = {
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
    view: () => (
      <PageFrame
        page={page}
        subject="tasks"
        aside={tasks.unfinished > 0 ? `${figure(tasks.unfinished)} to do` : ''}
      >
        <Rows
          list={list}
          items={tasks.tasks}
          none="No tasks yet. d deletes, p copies."
          lineOf={(task, { selected, glyphs }) =>
            pointed(taskLine(browser, task, glyphs), selected, glyphs)
          }
        />
      </PageFrame>
    ),
  };
  return page;
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
  return textPage({
    subject: 'what failed',
    text: (columns, { glyphs }) => {
      if (task.failures.length === 0) return [[span('  Nothing failed.', 'dim')]];
      const kept = [...causesOf(task)].flatMap(([cause, paths]): Line[] => [
        ...wrap(harmless(cause), columns - 2).map((line) => [span(`  ${line}`, 'bad')]),
        ...paths.map((path) => fitLine([span(`    ${harmless(path)}`)], columns, glyphs.ellipsis)),
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
    withHelp: (keys) => withHelp(browser, keys),
    back: () => browser.back(),
  });
}
