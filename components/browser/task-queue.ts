import { linkedAbort } from '../../src/core/context.ts';
import { toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';
import { counted, figure } from '../../src/core/shown-text.ts';
import type { TransferReport } from '../../src/size-tree/browser-effects.ts';
import { plainSize } from '../../src/terminal/figures.ts';
import type { Tone } from '../../src/terminal/span.ts';

type TaskState = 'waiting' | 'running' | 'done' | 'cancelled';

/** What went wrong with one entry. */
export interface TaskFailure {
  readonly path: string;
  readonly message: string;
}

/** How much of something: files and their bytes. */
export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

export interface TaskPlan {
  /** In the infinitive: `delete`, `copy`. */
  readonly verb: string;
  /** What it is done with, and where to. */
  readonly subject: string;
  /** Absent: it is found while it runs. */
  readonly expected?: Amount;
  /** What is counted; absent: files. */
  readonly noun?: string;
  /** Does it and reports. Rejects if it cannot continue. */
  run(report: TaskReport, op: Op): Promise<void>;
  /** Asks whether to begin another task for what failed, and calls `begun` if so; absent where that makes no sense. */
  retry?(failures: readonly TaskFailure[], begun: () => void): void;
  /** Shows what is there after it was undone. */
  undone?(op: Op): Promise<void>;
}

/** The reports of a running task: those of a transfer, and of a deletion. */
export interface TaskReport extends TransferReport {
  /** These entries were not there any more. */
  vanished(entries: number): void;
  /** It was stopped before their results were known. */
  unknown(files: number): void;
  noted(run: string): void;
}

/** A task as it is shown; its queue changes it. */
export class Task {
  readonly plan: TaskPlan;
  state: TaskState = 'waiting';
  expected: Amount;
  done: Amount = { files: 0, bytes: 0 };
  vanished = 0;
  /** Files that may be done: it was stopped before their results were known. */
  unknown = 0;
  /** All of them; the first are kept in `failures`. */
  failed = 0;
  failures: TaskFailure[] = [];
  startedMs: number | undefined;
  endedMs: number | undefined;
  /** The run that undoes it; `undefined` if it changed nothing, and once it was undone. */
  run: string | undefined;
  abort: AbortController | undefined;

  constructor(plan: TaskPlan) {
    this.plan = plan;
    this.expected = plan.expected ?? this.done;
  }
}

/** Failures that are kept to be shown and tried again. */
const MOST_FAILURES = 10_000;

/** Runs tasks in the background, one after the other: what is copied first is not deleted before. */
export class TaskQueue {
  readonly #tasks: Task[] = [];
  readonly #changed: () => void;
  readonly #nowMs: () => number;
  readonly #ending = new AbortController();
  #idle: Promise<void> = Promise.resolve();

  constructor(changed: () => void, nowMs: () => number) {
    this.#changed = changed;
    this.#nowMs = nowMs;
  }

  /** All tasks, in the order in which they were added. */
  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  get unfinished(): number {
    return this.#tasks.filter(({ state }) => state === 'waiting' || state === 'running').length;
  }

  get current(): Task | undefined {
    return this.#tasks.find(({ state }) => state === 'running');
  }

  get undoable(): Task | undefined {
    return this.#tasks.findLast(({ run, endedMs }) => run !== undefined && endedMs !== undefined);
  }

  /** It is undone, or cannot be. */
  passOver(task: Task): void {
    this.#set(task, { run: undefined });
  }

  add(plan: TaskPlan): void {
    const task = new Task(plan);
    this.#tasks.push(task);
    this.#idle = this.#idle.then(() => this.#run(task));
    this.#changed();
  }

  /** Stops a task where it is; one that has ended stays as it is. */
  cancel(task: Task): void {
    if (task.state === 'waiting') this.#end(task, 'cancelled');
    task.abort?.abort(new Error('cancelled'));
  }

  /** Asks whether to begin again with what failed. */
  retry(task: Task): void {
    if (task.failures.length === 0) return;
    task.plan.retry?.(task.failures, () => {
      task.failures = [];
      task.failed = 0;
    });
  }

  /** Stops all and resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#ending.abort(new Error('the browser was left'));
    for (const task of this.#tasks) this.cancel(task);
    await this.#idle;
  }

  async #run(task: Task): Promise<void> {
    if (task.state !== 'waiting') return;
    const abort = linkedAbort(this.#ending.signal);
    this.#set(task, { abort, state: 'running', startedMs: this.#nowMs() });
    const report: TaskReport = {
      found: (files, bytes) => this.#set(task, { expected: sum(task.expected, files, bytes) }),
      bytes: (count) => this.#set(task, { done: sum(task.done, 0, count) }),
      done: (files) => this.#set(task, { done: sum(task.done, files, 0) }),
      moved: () => undefined,
      vanished: (entries) => this.#set(task, { vanished: task.vanished + entries }),
      unknown: (files) => this.#set(task, { unknown: task.unknown + files }),
      failed: (path, message) => this.#fail(task, { path, message }),
      noted: (run) => this.#set(task, { run }),
    };
    try {
      await task.plan.run(report, { signal: abort.signal });
    } catch (thrown) {
      if (!abort.signal.aborted)
        this.#fail(task, { path: '', message: toSyncerError(thrown).message });
    }
    task.abort = undefined;
    this.#end(task, abort.signal.aborted ? 'cancelled' : 'done');
  }

  #fail(task: Task, failure: TaskFailure): void {
    if (task.failures.length < MOST_FAILURES) task.failures.push(failure);
    this.#set(task, { failed: task.failed + 1 });
  }

  #set(task: Task, changes: Partial<Task>): void {
    Object.assign(task, changes);
    this.#changed();
  }

  #end(task: Task, state: TaskState): void {
    this.#set(task, { state, endedMs: this.#nowMs() });
  }
}

function sum(amount: Amount, files: number, bytes: number): Amount {
  return { files: amount.files + files, bytes: amount.bytes + bytes };
}

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
    // A copy leaves out what is there already, and nothing else.
    const isThere = plan.verb === 'copy' && isNothing && failed === 0 && expected.files > 0;
    if (isThere) return `Nothing to copy: ${counted(expected.files, noun)} there already`;
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
