import { counted, figure } from '../../src/core/shown-text.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import type { Tone } from '../../src/terminal/span.ts';
import type { Task } from './task-queue.ts';

const WORDS: Readonly<Record<string, readonly [going: string, past: string, brief?: string]>> = {
  delete: ['Deleting', 'deleted'],
  copy: ['Copying', 'copied'],
  move: ['Moving', 'moved'],
  download: ['Downloading', 'downloaded'],
  rename: ['Renaming', 'renamed'],
  upload: ['Uploading', 'uploaded'],
  trash: ['Moving to the trash', 'moved to the trash', 'move to trash'],
  undo: ['Undoing', 'undone'],
  restore: ['Restoring', 'restored'],
  empty: ['Emptying the trash:', 'deleted for good'],
};

/** How far a task is, in one line: `Deleting 3,400 of 5,000 files, 12.0 MiB`; `5,000 files deleted, 17.6 MiB`. */
export function taskText(task: Task): string {
  const { plan, state, done, expected, failed, unknown, vanished } = task;
  const { noun = 'file' } = plan;
  const [going, past] = WORDS[plan.verb] ?? [plan.verb, plan.verb];
  const failures = failed > 0 ? `, ${figure(failed)} failed` : '';
  // Renaming back has no size.
  const size = plan.verb === 'undo' && done.bytes === 0 ? '' : `, ${plainSize(done.bytes)}`;
  const amount = `${counted(done.files, noun)} ${past}${size}`;
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
  return `${going} ${count}${of}, ${plainSize(done.bytes)}${failures}`;
}

/** What a task did, in the words of its question: `move to trash Music`. */
export function doneText({ plan: { verb, subject } }: Task): string {
  return `${WORDS[verb]?.[2] ?? verb} ${subject}`;
}

/** The tone of a task by how far it is. */
export function toneOf({ state, failed }: Task): Tone {
  if (failed > 0) return 'bad';
  if (state === 'running') return 'accent';
  return state === 'done' ? 'good' : 'dim';
}
