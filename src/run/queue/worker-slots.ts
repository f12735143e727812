import { randomBytes } from 'node:crypto';
import { linkedAbort, stopwatch } from '../../core/context.ts';
import type { SyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import type { RunSetup } from '../../engine/run.ts';
import type { RunControl } from '../../engine/run-control.ts';
import type { HeldRange } from '../ranges/ledger.ts';
import { type RangeTask, workRange } from '../ranges/work-range.ts';
import { LEASE, type WatchedLease, watchLease } from './lease-watch.ts';
import {
  addQueueErrors,
  leaseKey,
  MOST_ERRORS,
  queueErrorOf,
  sendNews,
  type Waiting,
} from './queue-run.ts';
import type { RunInQueue } from './run-coordinator.ts';

/** How the slots of a worker take ranges and work on them. */
export interface WorkerSlotRules {
  readonly run: string;
  /** Of the worker. */
  readonly id: string;
  /** Ranges that are worked on at the same time. */
  readonly slots: number;
  /** A range ends after about this many names. */
  readonly namesARange: number;
  /** Its leases while it has them: each is looked at before every request. */
  readonly leases?: Set<WatchedLease>;
}

/** What the work on ranges shares with its worker. */
export interface SlotParts {
  readonly setup: RunSetup & { readonly control: RunControl };
  readonly task: RangeTask;
  /** Aborted: all ranges end. */
  readonly ends: AbortSignal;
  /** Ended when a range is over. */
  readonly waiting: Waiting;
}

/** An error of a range that was logged, and the path that it was logged with. */
interface RangeFailure {
  readonly error: SyncerError;
  readonly path?: string | undefined;
}

/** The slots of a worker: each takes a range, works on it under a lease, and takes the next one. */
export class WorkerSlots {
  readonly #rules: WorkerSlotRules;
  readonly #parts: SlotParts;
  readonly #queue: RunInQueue;
  /** The work on ranges. */
  readonly #running = new Set<Promise<void>>();
  /** Ranges are being taken; `#mayTake`: one may wait. */
  #taking: Promise<void> | undefined;
  #mayTake = false;
  #isClosed = false;
  #done = 0;
  /** Errors that were sent to the queue. */
  #reported = 0;
  #fault: unknown;

  constructor(rules: WorkerSlotRules, parts: SlotParts, queue: RunInQueue) {
    this.#rules = rules;
    this.#parts = parts;
    this.#queue = queue;
  }

  get areIdle(): boolean {
    return this.#running.size === 0;
  }

  /** How many ranges are finished. */
  get done(): number {
    return this.#done;
  }

  /** Throws what this worker cannot go on after. */
  assertNoFault(): void {
    if (this.#fault !== undefined) throw this.#fault;
  }

  /** To the worker that coordinates, and to those with idle slots, which take what waits, or a part of a slow range. */
  announceRanges(): void {
    void sendNews(this.#queue.redis, this.#rules.run, 'ranges');
  }

  /** Takes ranges, one after the other, as long as some wait and slots are idle. */
  take(): void {
    this.#mayTake = true;
    this.#taking ??= this.#takeAll().finally(() => {
      this.#taking = undefined;
      // News that came just after the last look.
      if (this.#mayTake && this.#hasIdle()) this.take();
    });
  }

  /** Takes no further range. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when no range is taken or worked on any more. */
  async ended(): Promise<void> {
    await this.#taking;
    await Promise.allSettled(this.#running);
  }

  #hasIdle(): boolean {
    return this.#running.size < this.#rules.slots;
  }

  /** The run is ended or stopped at this worker: what fails then is no fault. */
  #isOver(): boolean {
    return this.#parts.ends.aborted || this.#parts.setup.control.stopping.aborted;
  }

  async #takeAll(): Promise<void> {
    while (this.#mayTake && this.#hasIdle()) {
      this.#mayTake = false;
      if (this.#isClosed || this.#isOver() || this.#fault !== undefined) return;
      try {
        // Another one may wait, too.
        if (await this.#takeOne()) this.#mayTake = true;
      } catch (thrown) {
        if (!this.#isOver()) this.#fault = thrown;
        this.#parts.waiting.end();
      }
    }
  }

  /** Begins to work on a range; `false` if none waits. */
  async #takeOne(): Promise<boolean> {
    const { id, run } = this.#rules;
    const sinceTaken = stopwatch(this.#parts.setup.context.clock);
    const token = randomBytes(16).toString('hex');
    const range = await this.#queue.ledger.claim(token, id);
    if (range === undefined) return false;
    const working = this.#workUnderLease(range, leaseKey(run, token), sinceTaken);
    this.#running.add(working);
    void working.finally(() => {
      this.#running.delete(working);
      this.#parts.waiting.end();
      this.announceRanges();
      this.take();
    });
    return true;
  }

  async #workUnderLease(range: HeldRange, key: string, sinceTaken: () => number): Promise<void> {
    const { redis } = this.#queue;
    const { leases } = this.#rules;
    const renew = async () => (await redis.pexpire(key, LEASE.ms)) === 1;
    const lease = watchLease(this.#parts.setup.context.clock, renew, sinceTaken);
    leases?.add(lease);
    // What is asked for each file is much cheaper than a signal of `any`.
    const until = linkedAbort(AbortSignal.any([lease.signal, this.#parts.ends])).signal;
    try {
      await this.#work(range, until);
    } catch (thrown) {
      if (!until.aborted) this.#fault = thrown;
    } finally {
      lease.end();
      leases?.delete(lease);
      // One that was not given back goes to others at once.
      redis.del(key).catch(() => {});
    }
  }

  async #work(range: HeldRange, until: AbortSignal): Promise<void> {
    const { setup, task } = this.#parts;
    const { context } = setup;
    const failures: RangeFailure[] = [];
    const emit = (event: SyncerEvent) => {
      context.emit(event);
      if (event.type === 'log' && event.code === 'failed')
        failures.push({ error: event.fields.error, path: event.path });
    };
    const within = { ...setup, context: { ...context, signal: until, emit } };
    const { namesARange } = this.#rules;
    const onBatch = this.#announcesSlow(range);
    const { attempt, became } = await workRange(within, task, range, { namesARange, onBatch });
    if (became === 'done') this.#done++;
    const { error } = attempt;
    // With `max-transfer` the run stops already.
    if (error === undefined || became !== 'failed' || error.code === 'max-transfer') return;
    await this.#report(error, failures);
    if (error.stop) this.#fault = error;
  }

  /** Announces a range once others can take a part of it. */
  #announcesSlow(range: HeldRange): () => void {
    let isAnnounced = false;
    return () => {
      if (isAnnounced || range.record.isSlow !== true) return;
      isAnnounced = true;
      this.announceRanges();
    };
  }

  /** Sends the errors of a range to the queue; the one that it failed with comes last. */
  async #report(error: SyncerError, failures: readonly RangeFailure[]): Promise<void> {
    const { id, run } = this.#rules;
    const path = failures.find((failure) => failure.error === error)?.path;
    const all = [...failures.filter((failure) => failure.error !== error), { error, path }];
    const reports = all
      .slice(-Math.max(1, MOST_ERRORS - this.#reported))
      .map((failure) => queueErrorOf(id, failure.error, failure.path));
    this.#reported += reports.length;
    await this.#queue.persist(() => addQueueErrors(this.#queue.redis, run, reports));
  }
}
