import type { CommandResult } from '../command/run-command.ts';
import type { RunLimits } from '../hook.ts';

/** A run to start in its turn. */
export interface QueuedRun {
  /** Starts it; resolves when its command is over. Never rejects. */
  begin(): Promise<CommandResult>;
  /** It is not started: a newer run replaces it, the queue is full, or the server stops. */
  leave(why: 'replaced' | 'full' | 'stopped'): void;
}

/** The result of a submission. */
export interface Admission {
  /** `full`: refused; `left-out`: dropped, and the caller shall not notice. */
  readonly state: 'started' | 'waiting' | 'full' | 'left-out';
  /** Resolves to the result, also that of a newer run that replaced it; to nothing if it was dropped. */
  readonly done: Promise<CommandResult | undefined>;
}

interface Entry {
  readonly run: QueuedRun;
  readonly id: string;
  tell: ((result: CommandResult | undefined) => void)[];
}

interface HookQueue {
  running: number;
  waiting: Entry[];
  limits: RunLimits | undefined;
}

/** Maximum runs queued by the limit of the server. */
const MAX_READY = 10_000;

/** Starts runs within the limits of their hooks and of the server, and queues others. */
export class RunQueues {
  readonly #maxCommands: number;
  readonly #queues = new Map<string, HookQueue>();
  /** What is left of a hook's rate at a moment. */
  readonly #buckets = new Map<string, { readonly left: number; readonly atMs: number }>();
  /** Runs queued by the limit of the server only. */
  readonly #ready: Entry[] = [];
  running = 0;

  /** @param maxCommands commands of all hooks that run at once; 0: no limit */
  constructor(maxCommands: number) {
    this.#maxCommands = maxCommands;
  }

  get waiting(): number {
    let sum = this.#ready.length;
    for (const { waiting } of this.#queues.values()) sum += waiting.length;
    return sum;
  }

  /**
   * Takes one run of a hook's rate, a bucket that fills evenly and holds at most `count`. Gives 0 where the hook may run,
   * else the milliseconds until it may.
   */
  takeRate(id: string, { count, perMs }: NonNullable<RunLimits['rate']>, nowMs: number): number {
    const before = this.#buckets.get(id) ?? { left: count, atMs: nowMs };
    const passed = Math.max(0, nowMs - before.atMs);
    const left = Math.min(count, before.left + (passed * count) / perMs);
    this.#buckets.set(id, { left: left >= 1 ? left - 1 : left, atMs: nowMs });
    return left >= 1 ? 0 : Math.max(1, ((1 - left) * perMs) / count);
  }

  /** Starts or queues a run of the hook `id`. */
  submit(id: string, limits: RunLimits | undefined, run: QueuedRun): Admission {
    const { promise: done, resolve } = Promise.withResolvers<CommandResult | undefined>();
    const entry: Entry = { run, id, tell: [resolve] };
    const queue = this.#queueOf(id);
    queue.limits = limits;
    const max = limits?.maxConcurrency ?? 0;
    if (max > 0 && queue.running >= max) return { state: this.#wait(queue, entry), done };
    if (this.#maxCommands === 0 || this.running < this.#maxCommands) {
      queue.running++;
      this.#start(entry);
      return { state: 'started', done };
    }
    if (this.#ready.length >= MAX_READY) return { state: this.#giveUp(entry, 'full'), done };
    queue.running++;
    this.#ready.push(entry);
    return { state: 'waiting', done };
  }

  /** Drops all queued runs, as the server stops. Gives their number. */
  giveUpWaiting(): number {
    const entries = this.#ready.splice(0);
    for (const { id } of entries) this.#queueOf(id).running--;
    for (const queue of this.#queues.values())
      for (const entry of queue.waiting.splice(0)) entries.push(entry);
    for (const entry of entries) this.#giveUp(entry, 'full', 'stopped');
    return entries.length;
  }

  #wait(queue: HookQueue, entry: Entry): Admission['state'] {
    const { coalesce = false, queueSize = 0, onFull = 'reject' } = queue.limits ?? {};
    const last = coalesce ? queue.waiting.pop() : undefined;
    if (last !== undefined) {
      last.run.leave('replaced');
      entry.tell = [...last.tell, ...entry.tell];
    } else if (queue.waiting.length >= queueSize) {
      const oldest = onFull === 'drop-oldest' ? queue.waiting.shift() : undefined;
      const state = onFull === 'drop-newest' ? 'left-out' : 'full';
      if (oldest === undefined) return this.#giveUp(entry, state);
      this.#giveUp(oldest, 'full');
    }
    queue.waiting.push(entry);
    return 'waiting';
  }

  #giveUp(
    entry: Entry,
    state: 'full' | 'left-out',
    why: 'full' | 'stopped' = 'full',
  ): Admission['state'] {
    entry.run.leave(why);
    for (const tell of entry.tell) tell(undefined);
    return state;
  }

  #start(entry: Entry): void {
    this.running++;
    void entry.run.begin().then((result) => {
      this.running--;
      this.#ended(entry.id);
      for (const tell of entry.tell) tell(result);
    });
  }

  #ended(id: string): void {
    const queue = this.#queueOf(id);
    queue.running--;
    const max = queue.limits?.maxConcurrency || Number.POSITIVE_INFINITY;
    while (queue.running < max) {
      const next = queue.waiting.shift();
      if (next === undefined) break;
      queue.running++;
      this.#ready.push(next);
    }
    if (queue.running === 0 && queue.waiting.length === 0) this.#queues.delete(id);
    const most = this.#maxCommands || Number.POSITIVE_INFINITY;
    while (this.running < most) {
      const next = this.#ready.shift();
      if (next === undefined) break;
      this.#start(next);
    }
  }

  #queueOf(id: string): HookQueue {
    const queue = this.#queues.get(id) ?? { running: 0, waiting: [], limits: undefined };
    this.#queues.set(id, queue);
    return queue;
  }
}
