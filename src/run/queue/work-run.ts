import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { linkedAbort, watchingAbort } from '../../core/abort.ts';
import { stopwatch, systemClock } from '../../core/context.ts';
import { defined } from '../../core/defined.ts';
import { SyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import type { RunSetup } from '../../engine/run.ts';
import { createRunControl, type RunControl, stoppedBy } from '../../engine/run-control.ts';
import { type HeldRange, Ledger } from '../ranges/ledger.ts';
import { forManyRanges, type RangeTask, workRange } from '../ranges/work-range.ts';
import type { QueueConnection } from './connect.ts';
import { LEASE, type WatchedLease, watchLease } from './lease-watch.ts';
import { lostRun, type Persistent, persistent } from './queue-error.ts';
import {
  addQueueErrors,
  leaseKey,
  listenForNews,
  MOST_ERRORS,
  type QueueRunState,
  queueErrorOf,
  type RunEnding,
  readRunState,
  sendNews,
  signWorker,
  Waiting,
  type WorkerCounts,
} from './queue-run.ts';
import { rangesInRedis } from './ranges-in-redis.ts';
import { RunCoordinator, type RunRules } from './run-coordinator.ts';

/** How a worker takes part in a run. */
export interface WorkRules extends RunRules {
  readonly version: string;
  /** Ranges that this worker works on at the same time. */
  readonly slots: number;
  /** A range ends after about this many names. */
  readonly namesARange: number;
  /** Gets lines about the queue for people. */
  tell(text: string): void;
  /** What it waits for, in words; `undefined`: nothing. */
  waitsFor?(): string | undefined;
  /** What this worker has done so far. */
  counts(): Omit<WorkerCounts, 'ranges'>;
  /** Its leases while it has them: each is looked at before every request. */
  readonly leases?: Set<Pick<WatchedLease, 'look'>>;
}

/** How often a worker gives a sign and looks at the run, and at most, in milliseconds. */
const [TICK_MS, SHORTEST_TICK_MS] = [500, 50];

/** An error of a range that was logged, and the path that it was logged with. */
interface Failure {
  readonly error: SyncerError;
  readonly path?: string | undefined;
}

/** How long leaving may take, in milliseconds. */
const CLOSING_MS = 3_000;

/**
 * Works on a run until it has ended, together with all other workers of it, each of which may also coordinate it.
 * Resolves to how it ended. Rejects if this worker cannot go on: the run's signal is aborted, or the queue is away or has
 * lost the run.
 */
export async function workRun(
  setup: RunSetup,
  task: RangeTask,
  queue: QueueConnection,
  rules: WorkRules,
): Promise<RunEnding> {
  return new RunWorker(setup, task, queue, rules).work();
}

class RunWorker {
  readonly #rules: WorkRules;
  readonly #task: RangeTask;
  readonly #queue: QueueConnection;
  readonly #setup: RunSetup;
  readonly #control: RunControl;
  /** Ends all ranges of this worker. */
  readonly #ends = new AbortController();
  /** Lets it finish what is being transferred, and begin nothing. */
  readonly #own = createRunControl((reason) => this.#ends.abort(reason));
  readonly #persist: Persistent;
  readonly #ledger: Ledger;
  readonly #coordinator: RunCoordinator;
  readonly #waiting = new Waiting();
  /** The work on its ranges. */
  readonly #running = new Set<Promise<void>>();
  /** It is taking ranges; `#mayTake`: one may wait. */
  #taking: Promise<void> | undefined;
  #mayTake = false;
  #isLeaving = false;
  /** Ranges that it has done. */
  #ranges = 0;
  #reported = 0;
  #signedMs = Number.NEGATIVE_INFINITY;
  #fault: unknown;

  constructor(given: RunSetup, task: RangeTask, queue: QueueConnection, rules: WorkRules) {
    const { clock, signal } = given.context;
    this.#rules = rules;
    this.#task = task;
    this.#queue = queue;
    this.#control = withStop(given.control, this.#own);
    this.#setup = forManyRanges({ ...given, control: this.#control });
    this.#persist = persistent(queue.address, clock, signal, rules.tell);
    this.#ledger = new Ledger(rangesInRedis(queue.redis, rules.run, this.#persist));
    const places = { redis: queue.redis, ledger: this.#ledger, persist: this.#persist };
    this.#coordinator = new RunCoordinator(rules, task.deletes !== undefined, places);
  }

  work(): Promise<RunEnding> {
    const { signal } = this.#setup.context;
    const exit = this.#control.enter();
    const follow = () => this.#ends.abort(signal.reason);
    return watchingAbort(signal, follow, () =>
      this.#workToEnd()
        .finally(exit)
        .finally(() => this.#leave()),
    );
  }

  async #workToEnd(): Promise<RunEnding> {
    const { clock, signal } = this.#setup.context;
    listenForNews(this.#queue, this.#rules.run, (news) => {
      if (news === 'ranges') this.#take();
      if (news === 'state' || this.#coordinator.isMine || this.#running.size === 0)
        this.#waiting.end();
    });
    await this.#look();
    this.#tellRanges();
    for (;;) {
      const lookedAt = clock.monotonic();
      const state = await this.#look();
      if (state.stop === 'soft') this.#own.stop();
      if (state.ended !== undefined) return state.ended;
      signal.throwIfAborted();
      if (!this.#own.stopping.aborted) this.#control.stopping.throwIfAborted();
      if (this.#fault !== undefined) throw this.#fault;
      const isChanged = await this.#coordinator.tend(state, this.#running.size === 0);
      this.#take();
      if (isChanged) continue;
      await this.#waiting.wait(clock.sleep(TICK_MS, signal));
      const soon = lookedAt + SHORTEST_TICK_MS - clock.monotonic();
      if (soon > 0) await clock.sleep(soon, signal);
    }
  }

  async #look(): Promise<QueueRunState> {
    const { run } = this.#rules;
    const nowMs = this.#setup.context.clock.monotonic();
    const signs = nowMs - this.#signedMs >= TICK_MS;
    if (signs) this.#signedMs = nowMs;
    const [state] = await Promise.all([
      this.#persist(() => readRunState(this.#queue.redis, run)),
      signs ? this.#persist(() => this.#sign(false)) : undefined,
    ]);
    if (state !== undefined) return state;
    throw lostRun(run);
  }

  async #sign(hasLeft: boolean): Promise<void> {
    const { run, id, version, slots, counts, waitsFor } = this.#rules;
    await signWorker(this.#queue.redis, run, {
      id,
      host: hostname(),
      pid: process.pid,
      version,
      slots,
      counts: { ...counts(), ranges: this.#ranges },
      ...defined({ hasLeft: hasLeft || undefined, waitsFor: waitsFor?.() }),
    });
  }

  /** To the worker that coordinates, and to those with idle slots, which take what waits, or a part of a slow range. */
  #tellRanges(): void {
    void sendNews(this.#queue.redis, this.#rules.run, 'ranges');
  }

  /** Takes ranges, one after the other, as long as some wait and slots are idle. */
  #take(): void {
    this.#mayTake = true;
    this.#taking ??= this.#takeAll().finally(() => {
      this.#taking = undefined;
      // News that came just after the last look.
      if (this.#mayTake && this.#running.size < this.#rules.slots) this.#take();
    });
  }

  async #takeAll(): Promise<void> {
    const isOver = () => this.#ends.signal.aborted || this.#control.stopping.aborted;
    while (this.#mayTake && this.#running.size < this.#rules.slots) {
      this.#mayTake = false;
      if (this.#isLeaving || isOver() || this.#fault !== undefined) return;
      const sinceTaken = stopwatch(this.#setup.context.clock);
      const token = randomBytes(16).toString('hex');
      try {
        const range = await this.#ledger.claim(token, this.#rules.id);
        if (range === undefined) continue;
        const working = this.#workUnderLease(range, token, sinceTaken);
        this.#running.add(working);
        void working.finally(() => {
          this.#running.delete(working);
          this.#waiting.end();
          this.#tellRanges();
          this.#take();
        });
        this.#mayTake = true;
      } catch (thrown) {
        if (!isOver()) this.#fault = thrown;
        this.#waiting.end();
      }
    }
  }

  async #workUnderLease(range: HeldRange, token: string, sinceTaken: () => number): Promise<void> {
    const { redis } = this.#queue;
    const { run, leases } = this.#rules;
    const renew = async () => (await redis.pexpire(leaseKey(run, token), LEASE.ms)) === 1;
    const lease = watchLease(this.#setup.context.clock, renew, sinceTaken);
    leases?.add(lease);
    // What is asked for each file is much cheaper than a signal of `any`.
    const until = linkedAbort(AbortSignal.any([lease.signal, this.#ends.signal])).signal;
    try {
      await this.#workOn(range, until);
    } catch (thrown) {
      if (!until.aborted) this.#fault = thrown;
    } finally {
      lease.end();
      leases?.delete(lease);
      // One that was not given back goes to others at once.
      redis.del(leaseKey(run, token)).catch(() => {});
    }
  }

  async #workOn(range: HeldRange, signal: AbortSignal): Promise<void> {
    const { context } = this.#setup;
    const { namesARange } = this.#rules;
    const failures: Failure[] = [];
    const emit = (event: SyncerEvent) => {
      context.emit(event);
      if (event.type === 'log' && event.code === 'failed')
        failures.push({ error: event.fields.error, path: event.path });
    };
    let wasShared = false;
    const onBatch = () => {
      const canBeShared = range.record.isSlow === true;
      if (canBeShared && !wasShared) this.#tellRanges();
      wasShared ||= canBeShared;
    };
    const within = { ...this.#setup, context: { ...context, signal, emit } };
    const rules = { namesARange, onBatch };
    const { attempt, became } = await workRange(within, this.#task, range, rules);
    if (became === 'done') this.#ranges++;
    const { error } = attempt;
    if (error === undefined || became !== 'failed') return;
    // The run stops already.
    if (error.code === 'max-transfer') return;
    await this.#report(failures, error);
    if (error.stop) this.#fault = error;
  }

  /** @param deciding the error of the range, which comes last */
  async #report(failures: readonly Failure[], deciding: SyncerError): Promise<void> {
    const { run, id } = this.#rules;
    const path = failures.find(({ error }) => error === deciding)?.path;
    const all = [...failures.filter(({ error }) => error !== deciding), { error: deciding, path }];
    const reports = all
      .slice(-Math.max(1, MOST_ERRORS - this.#reported))
      .map((failure) => queueErrorOf(id, failure.error, failure.path));
    this.#reported += reports.length;
    await this.#persist(() => addQueueErrors(this.#queue.redis, run, reports));
  }

  /** Ends what it has begun, at once if the run is aborted, and says that it has left. */
  async #leave(): Promise<void> {
    this.#isLeaving = true;
    if (!this.#control.stopping.aborted)
      this.#ends.abort(new SyncerError('stopped', 'the run has ended'));
    const ended = Promise.resolve(this.#taking)
      .then(() => Promise.allSettled(this.#running))
      .then(() => true);
    const tick = () => systemClock.sleep(TICK_MS).then(() => false);
    // Others would take it for lost.
    while (!(await Promise.race([ended, tick()]))) void this.#sign(false).catch(() => {});
    this.#task.close?.();
    const closed = async () => {
      await this.#sign(true);
      await sendNews(this.#queue.redis, this.#rules.run, 'state');
    };
    // A queue that is away answers nothing; the lease runs out by itself.
    await Promise.race([closed().catch(() => {}), systemClock.sleep(CLOSING_MS)]);
  }
}

/** The control of a person at this worker, and that of a person who stops the whole run. */
function withStop(control: RunControl | undefined, own: RunControl): RunControl {
  if (control === undefined) return own;
  return stoppedBy(control, own.stopping, () => {
    const leaves = [control.enter(), own.enter()];
    return () => {
      for (const leave of leaves) leave();
    };
  });
}
