import { counted, figure } from '../../src/core/counted.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import type { Tone } from '../../src/terminal/span.ts';
import type { Task } from './task-queue.ts';

const PAST: Readonly<Record<string, string>> = {
  delete: 'deleted',
  copy: 'copied',
  move: 'moved',
  download: 'downloaded',
  rename: 'renamed',
  upload: 'uploaded',
  trash: 'moved to the trash',
  undo: 'undone',
  restore: 'restored',
  empty: 'deleted for good',
};

const GOING: Readonly<Record<string, string>> = {
  delete: 'Deleting',
  copy: 'Copying',
  move: 'Moving',
  download: 'Downloading',
  rename: 'Renaming',
  upload: 'Uploading',
  trash: 'Moving to the trash',
  undo: 'Undoing',
  restore: 'Restoring',
  empty: 'Emptying the trash:',
};

const BRIEF: Readonly<Record<string, string>> = {
  trash: 'move to trash',
};

/** How far a task is, in one line: `Deleting 3,400 of 5,000 files, 12.0 MiB`; `5,000 files deleted, 17.6 MiB`. */
export function taskText(task: Task): string {
  const { plan, state, done, expected, failed, unknown, vanished } = task;
  const { noun = 'file' } = plan;
  const failures = failed > 0 ? `, ${figure(failed)} failed` : '';
  // Renaming back has no size.
  const size = plan.verb === 'undo' && done.bytes === 0 ? '' : `, ${plainSize(done.bytes)}`;
  const amount = `${counted(done.files, noun)} ${PAST[plan.verb]}${size}`;
  if (state === 'waiting') return `waits: ${doneText(task)}`;
  const open = unknown > 0 ? `, result unknown for ${counted(unknown, noun)}` : '';
  if (state === 'cancelled') return `stopped: ${amount}${open}${failures}`;
  const gone = vanished > 0 ? `${counted(vanished, 'entry')} already gone` : '';
  if (state === 'done') {
    const isNothing = done.files === 0 && done.bytes === 0 && gone === '';
    if (failed > 1 && isNothing) return `All ${counted(failed, noun)} failed`;
    const hasDone = gone === '' || done.files > 0 || done.bytes > 0;
    return [hasDone ? amount : '', gone].filter((text) => text !== '').join(', ') + failures;
  }
  const of = expected.files > 0 ? ` of ${counted(expected.files, noun)}` : '';
  const count = of === '' ? counted(done.files, noun) : figure(done.files);
  return `${GOING[plan.verb]} ${count}${of}, ${plainSize(done.bytes)}${failures}`;
}

/** What a task did, in the words of its question: `move to trash Music`. */
export function doneText({ plan: { verb, subject } }: Task): string {
  return `${BRIEF[verb] ?? verb} ${subject}`;
}

/** How much of a task is done, from 0 to 1. */
export function taskShare({ done, expected }: Task): number {
  if (expected.bytes > 0) return Math.min(1, done.bytes / expected.bytes);
  return expected.files > 0 ? Math.min(1, done.files / expected.files) : 0;
}

/** The tone of a task by how far it is. */
export function toneOf({ state, failed }: Task): Tone {
  if (failed > 0) return 'bad';
  if (state === 'running') return 'accent';
  return state === 'done' ? 'good' : 'dim';
}
