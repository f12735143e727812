import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Job, Queue, Worker } from 'bullmq';
import { systemClock } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import type { RunSetup } from '../../engine/run.ts';
import { createRunControl, type RunControl, stoppedBy } from '../../engine/run-control.ts';
import { Ledger } from '../ranges/ledger.ts';
import { forManyRanges, type RangeTask, workRange } from '../ranges/work-range.ts';
import type { QueueConnection } from './connect.ts';
import { LEASE, type WatchedLease, watchLease } from './lease-watch.ts';
import { lostRun, type Persistent, persistent } from './queue-error.ts';
import {
  addQueueErrors,
  listenForNews,
  MOST_ERRORS,
  openJobs,
  type QueueRunState,
  queueName,
  type RunEnding,
  readRunState,
  sendNews,
  signWorker,
  Waiting,
  type WorkerCounts,
} from './queue-run.ts';
import { RangesInRedis } from './ranges-in-redis.ts';
import {
  coordinatorOf,
  type RangeJob,
  type RunCoordinator,
  type RunRules,
} from './run-coordinator.ts';

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
  /** Gets what the tokens of its leases begin with, for `endLeases`. */
  onBegin?(locks: string): void;
}

/** How often a worker gives a sign and looks at the run, and at most, in milliseconds. */
const [TICK_MS, SHORTEST_TICK_MS] = [500, 50];

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
  const worker = new RunWorker(setup, task, queue, rules);
  try {
    return await worker.run();
  } finally {
    await worker.leave();
  }
}

/** An error of a range that was logged, and the path that it was logged with. */
interface Failure {
  readonly error: SyncerError;
  readonly path?: string | undefined;
}

/** How long leaving may take, in milliseconds. */
const CLOSING_MS = 3_000;

class RunWorker {
  readonly #setup: RunSetup;
  readonly #task: RangeTask;
  readonly #queue: QueueConnection;
  readonly #rules: WorkRules;
  readonly #persist: Persistent;
  readonly #ledger: Ledger;
  /** Ends all ranges of this worker. */
  readonly #ends = new AbortController();
  /** Lets it finish what is being transferred, and begin nothing. */
  readonly #own = createRunControl((reason) => this.#ends.abort(reason));
  readonly #running = new Set<Promise<void>>();
  #jobs: Queue<RangeJob> | undefined;
  #worker: Worker<RangeJob> | undefined;
  #ranges = 0;
  /** Ranges that it works on. */
  #held = 0;
  #reported = 0;
  #signedMs = Number.NEGATIVE_INFINITY;
  #coordinator: RunCoordinator | undefined;
  readonly #waiting = new Waiting();
  readonly #follow = () => this.#ends.abort(this.#setup.context.signal.reason);
  #fault: unknown;

  constructor(...[setup, task, queue, rules]: [RunSetup, RangeTask, QueueConnection, WorkRules]) {
    this.#setup = forManyRanges({ ...setup, control: withStop(setup.control, this.#own) });
    this.#task = task;
    this.#queue = queue;
    this.#rules = rules;
    const { clock, signal } = setup.context;
    this.#persist = persistent(queue.address, clock, signal, rules.tell);
    this.#ledger = new Ledger(new RangesInRedis(queue.redis, rules.run, this.#persist));
  }

  async run(): Promise<RunEnding> {
    const { context, control } = this.#setup;
    const leave = control?.enter();
    context.signal.addEventListener('abort', this.#follow, { once: true });
    try {
      const coordinator = await this.#begin();
      await this.#look();
      this.#rangesChanged();
      for (;;) {
        const lookedAt = context.clock.monotonic();
        const state = await this.#look();
        if (state.stop === 'soft') this.#own.stop();
        if (state.ended !== undefined) return state.ended;
        context.signal.throwIfAborted();
        if (!this.#own.stopping.aborted) control?.stopping.throwIfAborted();
        if (this.#fault !== undefined) throw this.#fault;
        if (await coordinator.tend(state, this.#isFree)) continue;
        await this.#waiting.wait(context.clock.sleep(TICK_MS, context.signal));
        const soon = lookedAt + SHORTEST_TICK_MS - context.clock.monotonic();
        if (soon > 0) await context.clock.sleep(soon, context.signal);
      }
    } finally {
      leave?.();
    }
  }

  /** Ends what it has begun, at once if the run is aborted, and says that it has left. */
  async leave(): Promise<void> {
    const { signal } = this.#setup.context;
    const paused = this.#worker?.pause(true);
    if (this.#setup.control?.stopping.aborted !== true)
      this.#ends.abort(new SyncerError('stopped', 'the run has ended'));
    const ended = Promise.allSettled(this.#running).then(() => true);
    const tick = () => systemClock.sleep(TICK_MS).then(() => false);
    // Others would take it for lost.
    while (!(await Promise.race([ended, tick()]))) void this.#sign(false).catch(() => {});
    signal.removeEventListener('abort', this.#follow);
    this.#task.close?.();
    const closed = async () => {
      await this.#sign(true);
      await sendNews(this.#queue.redis, this.#rules.run, 'state');
      await paused;
      await this.#worker?.close();
      await this.#jobs?.close();
    };
    // A queue that is away answers nothing; the lease runs out by itself.
    await Promise.race([closed().catch(() => {}), systemClock.sleep(CLOSING_MS)]);
  }

  async #begin(): Promise<RunCoordinator> {
    const { Worker } = await import('bullmq');
    const { run } = this.#rules;
    const { redis } = this.#queue;
    const jobs = await this.#persist(() => openJobs<RangeJob>(redis, run));
    this.#jobs = jobs;
    const places = { redis, jobs, ledger: this.#ledger, persist: this.#persist };
    const deletes = this.#task.deletes !== undefined;
    const coordinator = coordinatorOf(this.#rules, deletes, places);
    this.#coordinator = coordinator;
    const work = (job: Job<RangeJob>, token = '') => {
      const running = this.#work(job, token);
      this.#running.add(running);
      return running.finally(() => this.#running.delete(running));
    };
    this.#worker = new Worker<RangeJob>(queueName(run), work, {
      connection: this.#queue.patient(),
      concurrency: this.#rules.slots,
      lockDuration: LEASE.ms,
      // Renewed by `watchLease`, which knows when a renewal was sent.
      skipLockRenewal: true,
      stalledInterval: LEASE.ms / 3,
      // The ledger counts how often a range was not ended.
      maxStalledCount: 1_000_000,
      drainDelay: 1,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    });
    this.#worker.on('error', () => {});
    this.#rules.onBegin?.(this.#worker.id);
    listenForNews(this.#queue, this.#rules.run, (news) => {
      if (news === 'state' || coordinator.isMine || this.#isFree) this.#waiting.end();
    });
    return coordinator;
  }

  async #work(job: Job<RangeJob>, token: string): Promise<void> {
    this.#held++;
    const { clock } = this.#setup.context;
    const lease = watchLease(clock, async () => {
      const extended = await job.extendLock(token, LEASE.ms);
      return Number(extended) > 0;
    });
    this.#rules.leases?.add(lease);
    const ends = new AbortController();
    const both = AbortSignal.any([lease.signal, this.#ends.signal]);
    both.addEventListener('abort', () => ends.abort(both.reason), { once: true });
    try {
      const { phase, after } = job.data;
      const wanted = { phase, after, isLost: true };
      const held = await this.#ledger.claim(
        randomBytes(16).toString('hex'),
        this.#rules.id,
        wanted,
      );
      if (held === undefined) return;
      const failures: Failure[] = [];
      const emit = (event: SyncerEvent) => {
        this.#setup.context.emit(event);
        if (event.type === 'log' && event.code === 'failed')
          failures.push({ error: event.fields.error, path: event.path });
      };
      const context = { ...this.#setup.context, signal: ends.signal, emit };
      let wasShared = false;
      const { attempt, became } = await workRange({ ...this.#setup, context }, this.#task, held, {
        namesARange: this.#rules.namesARange,
        onBatch: () => {
          const canBeShared = held.record.isSlow === true;
          if (canBeShared && !wasShared) this.#sendNews();
          wasShared ||= canBeShared;
        },
      });
      if (became === 'done') this.#ranges++;
      const { error } = attempt;
      if (error === undefined || became !== 'failed') return;
      // The run stops already.
      if (error.code === 'max-transfer') return;
      await this.#report(failures, error);
      if (error.stop) this.#fault = error;
    } catch (thrown) {
      if (!ends.signal.aborted) this.#fault = thrown;
    } finally {
      lease.end();
      this.#rules.leases?.delete(lease);
      this.#held--;
      this.#rangesChanged();
    }
  }

  /** This worker has no range. */
  get #isFree(): boolean {
    return this.#held === 0;
  }

  /** A slot is idle: the worker that coordinates looks at once, and this one if it has no range. */
  #rangesChanged(): void {
    const isMine = this.#coordinator?.isMine === true;
    if (isMine || this.#isFree) this.#waiting.end();
    if (!isMine) this.#sendNews();
  }

  /** To the worker that coordinates, and to those without a range, which take a part of a slow one by themselves. */
  #sendNews(): void {
    void sendNews(this.#queue.redis, this.#rules.run, 'ranges');
  }

  /** @param deciding the error of the range, which comes last */
  async #report(failures: readonly Failure[], deciding: SyncerError): Promise<void> {
    const path = failures.find(({ error }) => error === deciding)?.path;
    const all = [...failures.filter(({ error }) => error !== deciding), { error: deciding, path }];
    const { redis } = this.#queue;
    const { run, id } = this.#rules;
    const reports = all.slice(-Math.max(1, MOST_ERRORS - this.#reported)).map((failure) => {
      const at = failure.path ?? failure.error.path;
      const { code, message } = failure.error;
      const error = { worker: id, host: hostname(), code, message };
      return { ...error, ...(at === undefined ? {} : { path: at }) };
    });
    this.#reported += reports.length;
    await this.#persist(() => addQueueErrors(redis, run, reports));
  }

  async #look(): Promise<QueueRunState> {
    const { redis } = this.#queue;
    const nowMs = this.#setup.context.clock.monotonic();
    const signs = nowMs - this.#signedMs >= TICK_MS;
    if (signs) this.#signedMs = nowMs;
    const [state] = await Promise.all([
      this.#persist(() => readRunState(redis, this.#rules.run)),
      signs ? this.#persist(() => this.#sign(false)) : undefined,
    ]);
    if (state !== undefined) return state;
    throw lostRun(this.#rules.run);
  }

  async #sign(hasLeft: boolean): Promise<void> {
    const { run, version, slots, counts } = this.#rules;
    const waitsFor = this.#rules.waitsFor?.();
    const sign = {
      id: this.#rules.id,
      host: hostname(),
      pid: process.pid,
      version,
      slots,
      counts: { ...counts(), ranges: this.#ranges },
      ...(hasLeft ? { hasLeft } : {}),
      ...(waitsFor === undefined ? {} : { waitsFor }),
    };
    await signWorker(this.#queue.redis, run, sign);
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
