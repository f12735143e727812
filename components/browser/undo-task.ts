import { counted, firstNames } from '../../src/core/counted.ts';
import { harmless } from '../../src/core/harmless.ts';
import { compareNames } from '../../src/core/name-order.ts';
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
  const { current } = tasks;
  if (current !== undefined) {
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
    const why = left === undefined ? 'nothing of it is left to undo' : reasonOf(left.why);
    const before = tasks.undoable === undefined ? '' : '; z again undoes the one before';
    if (plan.left.length > 1) showLeft(browser, `This cannot be undone: ${what}${before}.`, plan);
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

/** Shows what is left of a task that cannot be undone, and why. */
function showLeft(browser: Browser, text: string, plan: UndoPlan): void {
  showSentences(browser, 'Undo', [[span(`  ${text}`, 'warn', true)], ...leftLines(plan)]);
}

function nameOf({ does, path, from, bytes }: UndoPlan['changes'][number]): NamedLine {
  const line = { lead: `${DOES[does].padEnd(8)}  `, name: harmless(path) };
  // It was renamed as a whole.
  if (path === '') return { ...line, name: 'the directory itself' };
  if (from !== undefined) return { ...line, more: [`from ${harmless(from)}`] };
  return { ...line, note: plainSize(bytes) };
}

const DOES = { restore: 'restore', delete: 'delete', move: 'move' } as const;

function sums({ changes }: UndoPlan): readonly Line[] {
  const of = (wanted: keyof typeof DOES) => changes.filter(({ does }) => does === wanted);
  const [restored, moved, deleted] = [of('restore'), of('move'), of('delete')];
  const bytes = restored.reduce((sum, change) => sum + change.bytes, 0);
  const text = (count: number, words: string) =>
    count === 0 ? [] : [[span(`  ${counted(count, 'entry')} ${words}`)]];
  return [
    ...text(
      restored.length,
      `${restored.length === 1 ? 'comes' : 'come'} back: ${plainSize(bytes)}.`,
    ),
    ...text(moved.length, `${moved.length === 1 ? 'moves' : 'move'} back.`),
    ...text(deleted.length, `${deleted.length === 1 ? 'goes' : 'go'} to the trash.`),
  ];
}

function leftLines({ left }: UndoPlan): readonly Line[] {
  return [...Map.groupBy(left, ({ why }) => why)].map(([why, some]) => [
    span(`  ${why}: ${namesOf(some)}`, 'warn'),
  ]);
}

function namesOf(left: UndoPlan['left']): string {
  return firstNames(left.map(({ path }) => harmless(path)).sort(compareNames));
}

/** `Not restored: its old content is not kept` without its first words. */
function reasonOf(why: string): string {
  return why.slice(why.indexOf(': ') + 1).trim();
}
