import { compareNames } from '../../src/core/name-order.ts';
import { counted, firstNames, harmless } from '../../src/core/shown-text.ts';
import type { UndoPlan } from '../../src/size-tree/browser-effects.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import { type Line, span } from '../../src/terminal/span.ts';
import type { Browser } from './browser.ts';
import type { Task } from './task-queue.ts';
import { doneText } from './task-text.ts';
import { askYes, type NamedLine, showSentences } from './text-page.tsx';
import { whileWaiting } from './while-waiting.ts';

/** Asks whether to undo the last task that changed something, with what that would do. */
export function askUndo(browser: Browser): void {
  const { tasks, effects, restraint } = browser;
  const { planUndo } = effects;
  if (planUndo === undefined || restraint !== undefined) {
    browser.tell('nothing can be undone here: nothing is noted', 'warn');
    return;
  }
  if (tasks.current !== undefined) {
    browser.tell('a task is running: wait for its end, or stop it (T)', 'warn');
    return;
  }
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
    names: plan.changes.toSorted((a, b) => compareNames(a.path, b.path)).map(nameOf),
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

function nameOf({ does, path, from, bytes }: UndoPlan['changes'][number]): NamedLine {
  const line = { lead: `${does.padEnd(8)}  `, name: harmless(path) };
  // It was renamed as a whole.
  if (path === '') return { ...line, name: 'the directory itself' };
  if (from !== undefined) return { ...line, more: [`from ${harmless(from)}`] };
  return { ...line, note: plainSize(bytes) };
}

function sums({ changes }: UndoPlan): readonly Line[] {
  const text = (wanted: string, one: string, many: string, rest: (bytes: number) => string) => {
    const found = changes.filter(({ does }) => does === wanted);
    const bytes = found.reduce((sum, change) => sum + change.bytes, 0);
    const words = `  ${counted(found.length, 'entry')} ${found.length === 1 ? one : many}`;
    return found.length === 0 ? [] : [[span(`${words} ${rest(bytes)}.`)]];
  };
  return [
    ...text('restore', 'comes', 'come', (bytes) => `back: ${plainSize(bytes)}`),
    ...text('move', 'moves', 'move', () => 'back'),
    ...text('delete', 'goes', 'go', () => 'to the trash'),
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
