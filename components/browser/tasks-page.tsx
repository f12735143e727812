import { compareNames } from '../../src/core/name-order.ts';
import { counted, figure, firstNames, harmless } from '../../src/core/shown-text.ts';
import type { UndoPlan } from '../../src/size-tree/browser-effects.ts';
import { shownSize } from '../../src/size-tree/sort-order.ts';
import { bar } from '../../src/terminal/bar.ts';
import { durationText, plainSize, sizeText } from '../../src/terminal/figures.ts';
import { row } from '../../src/terminal/key-table.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import { textLines } from '../../src/terminal/text-lines.ts';
import type { Browser } from './browser.ts';
import { askWhereTo, download, nameOf } from './change-entries.ts';
import { askToDelete } from './delete-entries.ts';
import { totalsOf } from './dir-rows.ts';
import { type BrowserPage, backRow, HELPS, RowList, shownIf } from './page.ts';
import { rowsPage } from './page-frame.tsx';
import { doneText, type Task, taskText, toneOf } from './task-queue.ts';
import { askYes, type NamedLine, showSentences, textPage, whileWaiting } from './text-page.tsx';

/** What runs, waits and has ended; a task can be stopped, its failures looked at and tried again. */
export function tasksPage(browser: Browser): BrowserPage {
  const { tasks } = browser;
  // The status line of a failure names this page.
  const failed = tasks.tasks.findLastIndex((task) => task.failed > 0);
  const list = new RowList(() => tasks.tasks, failed);
  return rowsPage({
    list,
    keys: (task) => {
      const failures = () => task && showFailures(browser, task);
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

function showFailures(browser: Browser, task: Task): void {
  const page = textPage(browser, {
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
  browser.open(page);
}

/** Asks whether to undo the last task that changed something, with what that would do. */
export function askUndo(browser: Browser) {
  const { tasks, effects, restraint } = browser;
  const { planUndo } = effects;
  if (planUndo === undefined || restraint !== undefined)
    return browser.tell('nothing can be undone here: nothing is noted', 'warn');
  if (tasks.current !== undefined)
    return browser.tell('a task is running: wait for its end, or stop it (T)', 'warn');
  const task = tasks.undoable;
  const { run } = task ?? {};
  if (task === undefined || run === undefined) {
    const what = tasks.tasks.length === 0 ? 'was changed' : 'is left to undo';
    browser.tell(`nothing to undo: nothing ${what} since the browser was opened`);
    return;
  }
  whileWaiting(browser, 'looking at what can be undone', {
    work: (op) => planUndo(run, op),
    onResult: (plan) => askPlanned(browser, task, plan),
  });
}

function askPlanned(browser: Browser, task: Task, plan: UndoPlan): void {
  const { tasks } = browser;
  const what = doneText(task);
  if (plan.changes.length === 0) {
    tasks.passOver(task);
    const [left] = plan.left;
    // `Not restored: its old content is not kept` without its first words.
    const why =
      left?.why.slice(left.why.indexOf(': ') + 1).trim() ?? 'nothing of it is left to undo';
    const before = tasks.undoable === undefined ? '' : '; z again undoes the one before';
    const text = `This cannot be undone: ${what}${before}.`;
    if (plan.left.length > 1)
      showSentences(browser, 'Undo', [[span(`  ${text}`, 'warn', true)], ...leftLines(plan)]);
    else browser.tell(`cannot be undone: ${what} (${why})${before}`, 'warn');
    return;
  }
  askYes(browser, {
    subject: 'Undo',
    lines: [[span(`  Undo: ${what}`, 'plain', true)], ...sums(plan), ...leftLines(plan)],
    names: plan.changes
      .toSorted((a, b) => compareNames(a.path, b.path))
      .map(({ does, path, from, bytes }): NamedLine => {
        const line = { lead: `${does.padEnd(8)}  `, name: harmless(path) };
        // It was renamed as a whole.
        if (path === '') return { ...line, name: 'the directory itself' };
        if (from !== undefined) return { ...line, more: [`from ${harmless(from)}`] };
        return { ...line, note: plainSize(bytes) };
      }),
    noun: 'change',
    yes: 'undo',
    onYes: () =>
      tasks.add({
        verb: 'undo',
        subject: what,
        noun: 'entry',
        expected: { files: plan.changes.length, bytes: 0 },
        async run(report, op) {
          tasks.passOver(task);
          try {
            // What it changes itself is no new step: `z` continues with the one before.
            await plan.run({ ...report, noted: () => undefined }, op);
          } finally {
            if (!op.signal.aborted) await task.plan.undone?.(op);
            browser.kept?.read();
          }
        },
      }),
  });
}

function sums({ changes }: UndoPlan): readonly Line[] {
  const text = (wanted: string, verb: string, ending: string, rest: string) => {
    const found = changes.filter(({ does }) => does === wanted);
    const bytes = found.reduce((sum, change) => sum + change.bytes, 0);
    const does = found.length === 1 ? `${verb}${ending}` : verb;
    const size = wanted === 'restore' ? `: ${plainSize(bytes)}` : '';
    const line = `  ${counted(found.length, 'entry')} ${does} ${rest}${size}.`;
    return found.length === 0 ? [] : [[span(line)]];
  };
  return [
    ...text('restore', 'come', 's', 'back'),
    ...text('move', 'move', 's', 'back'),
    ...text('delete', 'go', 'es', 'to the trash'),
  ];
}

function leftLines({ left }: UndoPlan): readonly Line[] {
  return [...Map.groupBy(left, ({ why }) => why)].map(([why, some]) => [
    span(
      `  ${why}: ${firstNames(some.map(({ path }) => harmless(path)).sort(compareNames))}`,
      'warn',
    ),
  ]);
}

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
