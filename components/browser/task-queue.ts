import { linkedAbort } from '../../src/core/abort.ts';
import { toSyncerError } from '../../src/core/errors.ts';
import type { Op } from '../../src/core/remote.ts';

/** How far a task is. */
export type TaskState = 'waiting' | 'running' | 'done' | 'cancelled';

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

/** What is to be done. */
export interface TaskPlan {
  /** In the infinitive: `delete`, `copy`. */
  readonly verb: string;
  /** What it is done with, and where to. */
  readonly subject: string;
  /** Absent: it is found while it runs. */
  readonly expected?: Amount;
  /** What is counted; absent: files. */
  readonly noun?: string;
  /** Does it and reports failures to the task. Rejects if it cannot continue. */
  run(task: RunningTask, op: Op): Promise<void>;
  /** Asks whether to begin another task for what failed, and calls `begun` if so; absent where that makes no sense. */
  retry?(failures: readonly TaskFailure[], begun: () => void): void;
  /** Shows what is there after it was undone. */
  undone?(op: Op): Promise<void>;
}

/** The reports of a running task. */
export interface RunningTask {
  /** So much more is to be done than was known. */
  expect(files: number, bytes: number): void;
  done(files: number, bytes: number): void;
  /** These entries were not there any more. */
  vanished(entries: number): void;
  /** It was stopped before their results were known. */
  unknown(files: number): void;
  fail(path: string, message: string): void;
  /** What it changed stands in the history as this run. */
  noted(run: string): void;
}

/** A task as it is shown. */
export interface Task {
  readonly plan: TaskPlan;
  readonly state: TaskState;
  readonly expected: Amount;
  readonly done: Amount;
  /** Entries that were not there any more. */
  readonly vanished: number;
  /** Files that may be done: it was stopped before their results were known. */
  readonly unknown: number;
  /** All of them; the first are kept in `failures`. */
  readonly failed: number;
  readonly failures: readonly TaskFailure[];
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
  /** The run that undoes it; `undefined` if it changed nothing, and once it was undone. */
  readonly run: string | undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Entry = Mutable<Task> & { readonly kept: TaskFailure[]; abort: AbortController | undefined };

/** Failures that are kept to be shown and tried again. */
const MOST_FAILURES = 10_000;

/** Runs tasks in the background, one after the other: what is copied first is not deleted before. */
export class TaskQueue {
  readonly #tasks: Entry[] = [];
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

  /** Tasks that wait or run. */
  get unfinished(): number {
    return this.#tasks.filter(({ state }) => state === 'waiting' || state === 'running').length;
  }

  /** The task that runs. */
  get current(): Task | undefined {
    return this.#tasks.find(({ state }) => state === 'running');
  }

  /** The last task that can be undone. */
  get undoable(): Task | undefined {
    return this.#tasks.findLast(({ run, endedMs }) => run !== undefined && endedMs !== undefined);
  }

  /** It is undone, or cannot be. */
  passOver(task: Task): void {
    const entry = this.#tasks.find((one) => one === task);
    if (entry !== undefined) this.#set(entry, { run: undefined });
  }

  add(plan: TaskPlan): void {
    const kept: TaskFailure[] = [];
    const none = { files: 0, bytes: 0 };
    const task: Entry = {
      plan,
      state: 'waiting',
      expected: plan.expected ?? none,
      done: none,
      failed: 0,
      kept,
      failures: kept,
      vanished: 0,
      unknown: 0,
      startedMs: undefined,
      endedMs: undefined,
      run: undefined,
      abort: undefined,
    };
    this.#tasks.push(task);
    this.#idle = this.#idle.then(() => this.#run(task));
    this.#changed();
  }

  /** Stops a task where it is; one that has ended stays as it is. */
  cancel(task: Task): void {
    const entry = this.#tasks.find((one) => one === task);
    if (entry?.state === 'waiting') this.#end(entry, 'cancelled');
    entry?.abort?.abort(new Error('cancelled'));
  }

  /** Asks whether to begin again with what failed. */
  retry(task: Task): void {
    if (task.failures.length === 0) return;
    const failures = [...task.failures];
    const entry = this.#tasks.find((one) => one === task);
    if (entry === undefined || entry.plan.retry === undefined) return;
    entry.plan.retry(failures, () => {
      entry.kept.length = 0;
      entry.failed = 0;
    });
  }

  /** Stops all and resolves when nothing runs any more. */
  async close(): Promise<void> {
    this.#ending.abort(new Error('the browser was left'));
    for (const task of this.#tasks) this.cancel(task);
    await this.#idle;
  }

  async #run(task: Entry): Promise<void> {
    if (task.state !== 'waiting') return;
    const abort = linkedAbort(this.#ending.signal);
    task.abort = abort;
    task.state = 'running';
    task.startedMs = this.#nowMs();
    this.#changed();
    const report: RunningTask = {
      expect: (files, bytes) => this.#set(task, { expected: sum(task.expected, files, bytes) }),
      done: (files, bytes) => this.#set(task, { done: sum(task.done, files, bytes) }),
      vanished: (entries) => this.#set(task, { vanished: task.vanished + entries }),
      unknown: (files) => this.#set(task, { unknown: task.unknown + files }),
      fail: (path, message) => this.#fail(task, { path, message }),
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

  #fail(task: Entry, failure: TaskFailure): void {
    task.failed++;
    if (task.kept.length < MOST_FAILURES) task.kept.push(failure);
    this.#changed();
  }

  #set(task: Entry, changes: Partial<Task>): void {
    Object.assign(task, changes);
    this.#changed();
  }

  #end(task: Entry, state: TaskState): void {
    task.state = state;
    task.endedMs = this.#nowMs();
    this.#changed();
  }
}

function sum(amount: Amount, files: number, bytes: number): Amount {
  return { files: amount.files + files, bytes: amount.bytes + bytes };
}
