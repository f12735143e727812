import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Job, Queue, Worker } from 'bullmq';
import { systemClock } from '../core/context.ts';
import { SyncerError } from '../core/errors.ts';
import { withShare } from '../ranges/attempt-ranges.ts';
import { Ledger } from '../ranges/ledger.ts';
import type { LedgerRecord, Phase, RangeRecord } from '../ranges/range-record.ts';
import { rangeKey } from '../ranges/range-store.ts';
import { cutsFor, forManyRanges, workRange } from '../ranges/work-range.ts';
import type { SyncPlan } from '../sync/file-work.ts';
import type { RunSetup } from '../sync/run.ts';
import { createRunControl, type RunControl } from '../sync/run-control.ts';
import type { QueueConnection } from './connect.ts';
import { LEASE, watchLease } from './lease-watch.ts';
import { type Persistent, persistent } from './persistent.ts';
import { lostRun } from './queue-error.ts';
import {
  addQueueError,
  endQueueRun,
  isAlive,
  nextAttempt,
  type QueueRunState,
  type RunEnding,
  readRunState,
  readWorkers,
  signWorker,
  type WorkerCounts,
} from './queue-run.ts';
import { RangesInRedis } from './ranges-in-redis.ts';
import { type RunDeeds, reconcile } from './reconcile.ts';
import { queueName, runKey } from './run-keys.ts';

/** How a worker takes part in a run. */
export interface WorkRules {
  readonly run: string;
  /** Of this worker; no other one has it. */
  readonly id: string;
  readonly version: string;
  /** Ranges that this worker works on at the same time. */
  readonly slots: number;
  /** A range ends after about this many names. */
  readonly namesARange: number;
  /** Attempts in all (`--retries`). */
  readonly retries: number;
  /** As `--max-delete`; absent: any number. */
  readonly maxDelete?: number;
  /** As `--max-duration`, in milliseconds; absent: any time. */
  readonly maxDurationMs?: number;
  /** Gets lines about the queue for people. */
  tell(text: string): void;
  /** What it waits for, in words; `undefined`: nothing. */
  waitsFor?(): string | undefined;
  /** What this worker has done so far. */
  counts(): Omit<WorkerCounts, 'ranges'>;
}

/** A job: a range in a phase. */
interface RangeJob {
  readonly phase: Phase;
  readonly after?: string;
}

/** How often a worker gives a sign and looks at the run, in milliseconds. */
const TICK_MS = 500;

/**
 * Works on a run until it has ended, together with all other workers of it, each of which may also coordinate it.
 * Resolves to how it ended. Rejects if this worker cannot go on: the run's signal is aborted, or the queue is away or has
 * lost the run.
 */
export async function workRun(
  setup: RunSetup,
  plan: SyncPlan,
  queue: QueueConnection,
  rules: WorkRules,
): Promise<RunEnding> {
  const worker = new RunWorker(setup, plan, queue, rules);
  try {
    return await worker.run();
  } finally {
    await worker.leave();
  }
}

/** For how many ticks one worker coordinates without a sign. */
const LEASE_TICKS = 4;

/** How long leaving may take, in milliseconds. */
const CLOSING_MS = 3_000;

class RunWorker {
  readonly #setup: RunSetup;
  readonly #plan: SyncPlan;
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
  #wake = Promise.withResolvers<void>();
  #fault: unknown;

  constructor(...[setup, plan, queue, rules]: [RunSetup, SyncPlan, QueueConnection, WorkRules]) {
    this.#setup = forManyRanges({ ...setup, control: withStop(setup.control, this.#own) });
    this.#plan = withShare(plan, rules.slots);
    this.#queue = queue;
    this.#rules = rules;
    const { clock, signal } = setup.context;
    this.#persist = persistent(queue.address, clock, signal, rules.tell);
    this.#ledger = new Ledger(new RangesInRedis(queue.redis, rules.run, this.#persist));
  }

  async run(): Promise<RunEnding> {
    const { context, control } = this.#setup;
    const leave = control?.enter();
    const follow = () => this.#ends.abort(context.signal.reason);
    context.signal.addEventListener('abort', follow, { once: true });
    try {
      await this.#begin();
      for (;;) {
        const state = await this.#look();
        if (state.stop === 'soft') this.#own.stop();
        if (state.ended !== undefined) return state.ended;
        context.signal.throwIfAborted();
        if (!this.#own.stopping.aborted) control?.stopping.throwIfAborted();
        if (this.#fault !== undefined) throw this.#fault;
        await this.#tend(state);
        const woken = this.#wake.promise;
        await Promise.race([context.clock.sleep(TICK_MS, context.signal), woken]);
      }
    } finally {
      context.signal.removeEventListener('abort', follow);
      leave?.();
    }
  }

  /** Returns what it holds, in order, and says that it has left. */
  async leave(): Promise<void> {
    const paused = this.#worker?.pause(true);
    if (this.#setup.control?.stopping.aborted !== true)
      this.#ends.abort(new SyncerError('stopped', 'the run has ended'));
    await Promise.allSettled(this.#running);
    const closed = async () => {
      await paused;
      await this.#sign(true);
      await this.#worker?.close();
      await this.#jobs?.close();
    };
    // A queue that is away answers nothing; the lease runs out by itself.
    await Promise.race([closed().catch(() => {}), systemClock.sleep(CLOSING_MS)]);
  }

  async #begin(): Promise<void> {
    const { Queue, Worker } = await import('bullmq');
    const name = queueName(this.#rules.run);
    const connection = this.#queue.forBullmq();
    this.#jobs = new Queue<RangeJob>(name, {
      connection: this.#queue.redis,
      defaultJobOptions: { attempts: 1, removeOnComplete: true, removeOnFail: true },
    });
    this.#jobs.on('error', () => {});
    const work = (job: Job<RangeJob>, token = '') => {
      const running = this.#work(job, token);
      this.#running.add(running);
      return running.finally(() => this.#running.delete(running));
    };
    this.#worker = new Worker<RangeJob>(name, work, {
      connection,
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
  }

  async #work(job: Job<RangeJob>, token: string): Promise<void> {
    const { clock } = this.#setup.context;
    const lease = watchLease(clock, async () => {
      const extended = await job.extendLock(token, LEASE.ms);
      return Number(extended) > 0;
    });
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
      const context = { ...this.#setup.context, signal: ends.signal };
      const { attempt, became } = await workRange({ ...this.#setup, context }, this.#plan, held, {
        namesARange: this.#rules.namesARange,
        // The first names are known: the others can be shared.
        onBatch: () => held.record.batches === 1 && this.#woken(),
      });
      if (became === 'done') this.#ranges++;
      if (attempt.error !== undefined && became === 'failed') await this.#report(attempt.error);
      if (attempt.error?.stop === true && became === 'failed') this.#fault = attempt.error;
    } catch (thrown) {
      if (!ends.signal.aborted) this.#fault = thrown;
    } finally {
      lease.end();
      this.#woken();
    }
  }

  /** Something has changed: looks at the run at once. */
  #woken(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  async #report({ code, message, path }: SyncerError): Promise<void> {
    const at = path === undefined ? {} : { path };
    const error = { worker: this.#rules.id, host: hostname(), code, message, ...at };
    await this.#persist(() => addQueueError(this.#queue.redis, this.#rules.run, error));
  }

  async #look(): Promise<QueueRunState> {
    const { redis } = this.#queue;
    await this.#persist(() => this.#sign(false));
    const state = await this.#persist(() => readRunState(redis, this.#rules.run));
    if (state !== undefined) return state;
    throw lostRun(this.#rules.run);
  }

  async #sign(hasLeft: boolean): Promise<void> {
    const { run, version, slots, counts } = this.#rules;
    const waitsFor = this.#rules.waitsFor?.();
    const sign = {
      ...{ id: this.#rules.id, host: hostname(), pid: process.pid, version, slots },
      counts: { ...counts(), ranges: this.#ranges },
      ...(hasLeft ? { hasLeft } : {}),
      ...(waitsFor === undefined ? {} : { waitsFor }),
    };
    await signWorker(this.#queue.redis, run, sign);
  }

  /** What any worker does for all: one at a time, though nothing depends on that. */
  async #tend(state: QueueRunState): Promise<void> {
    const { redis } = this.#queue;
    const key = runKey(this.#rules.run, 'lease');
    const isMine = await this.#persist(async () => {
      const taken = await redis.set(key, this.#rules.id, 'PX', LEASE_TICKS * TICK_MS, 'NX');
      return taken === 'OK' || (await redis.get(key)) === this.#rules.id;
    });
    if (!isMine) return;
    await this.#persist(() => redis.pexpire(key, LEASE_TICKS * TICK_MS));
    const { run, retries, maxDelete, maxDurationMs } = this.#rules;
    const { workers, nowMs } = await this.#persist(() => readWorkers(redis, run));
    const alive = workers.filter((worker) => isAlive(worker, nowMs));
    if (state.stop !== undefined) return this.#end({ how: 'stopped', atMs: nowMs });
    const ledger = await this.#ledger.read();
    const deeds = reconcile({
      ledger,
      slots: alive.reduce((sum, { slots }) => sum + slots, 0),
      ...{ attempt: state.attempt, retries, deletes: this.#plan.options.deletes !== 'off' },
      ...(maxDelete === undefined ? {} : { maxDelete }),
      elapsedMs: nowMs - state.begunMs,
      ...(maxDurationMs === undefined ? {} : { maxDurationMs }),
    });
    await this.#carryOut(deeds, ledger);
    await this.#step(deeds.step, state, nowMs);
  }

  async #carryOut(
    { cuts: first, idle: slots, offers }: RunDeeds,
    ledger: LedgerRecord,
  ): Promise<void> {
    const { phase } = ledger;
    // In turns: the first guesses about where names lie are often beyond all of them.
    let cuts = first;
    for (let idle = slots; idle > 0 && cuts.length > 0; ) {
      const left: RangeRecord[] = [];
      for (const { range, point } of cuts.slice(0, idle)) {
        const rest = await this.#ledger.cut(phase, range, point);
        if (rest === undefined) continue;
        idle--;
        left.push(rest);
      }
      cuts = cutsFor(left);
    }
    if (offers.length > 0) await this.#offer(phase, offers);
    await this.#ledger.join(ledger);
  }

  async #step(step: RunDeeds['step'], { attempt }: QueueRunState, nowMs: number): Promise<void> {
    const { redis } = this.#queue;
    if (step === 'phase') await this.#ledger.nextPhase(this.#plan.options.deletes !== 'off');
    else if (step === 'reopen') {
      const begins = await this.#persist(() => nextAttempt(redis, this.#rules.run, attempt));
      if (begins) await this.#ledger.reopen();
    } else if (step !== undefined) await this.#end({ how: step, atMs: nowMs });
  }

  async #offer(phase: Phase, ranges: readonly RangeRecord[]): Promise<void> {
    const jobs = ranges.map(({ after }) => ({
      name: 'range',
      data: { phase, ...(after === undefined ? {} : { after }) },
      opts: { jobId: `${phase}-${Buffer.from(rangeKey(after)).toString('base64url')}` },
    }));
    await this.#persist(async () => this.#jobs?.addBulk(jobs));
  }

  async #end(ending: RunEnding): Promise<void> {
    await this.#persist(() => endQueueRun(this.#queue.redis, this.#rules.run, ending));
  }
}

/** The control of a person at this worker, and that of a person who stops the whole run. */
function withStop(control: RunControl | undefined, own: RunControl): RunControl {
  if (control === undefined) return own;
  return {
    ready: (signal) => control.ready(signal),
    get pauses() {
      return control.pauses;
    },
    stopping: AbortSignal.any([control.stopping, own.stopping]),
    places: control.places,
    enter() {
      const leaves = [control.enter(), own.enter()];
      return () => {
        for (const leave of leaves) leave();
      };
    },
  };
}
