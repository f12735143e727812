import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Job, Queue, Worker } from 'bullmq';
import { watchingAbort } from '../../core/abort.ts';
import { systemClock } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import type { RunSetup } from '../../engine/run.ts';
import { createRunControl, type RunControl, stoppedBy } from '../../engine/run-control.ts';
import { type HeldRange, Ledger } from '../ranges/ledger.ts';
import { forManyRanges, type RangeTask, workRange } from '../ranges/work-range.ts';
import type { QueueConnection } from './connect.ts';
import { LEASE, type WatchedLease, watchLease } from './lease-watch.ts';
import { lostRun, persistent } from './queue-error.ts';
import {
  addQueueErrors,
  listenForNews,
  MOST_ERRORS,
  openJobs,
  queueName,
  type RunEnding,
  readRunState,
  sendNews,
  signWorker,
  Waiting,
  type WorkerCounts,
} from './queue-run.ts';
import { rangesInRedis } from './ranges-in-redis.ts';
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
  given: RunSetup,
  task: RangeTask,
  queue: QueueConnection,
  rules: WorkRules,
): Promise<RunEnding> {
  const { redis } = queue;
  const { run, id, version, slots, namesARange, leases } = rules;
  const { context } = given;
  const { clock, signal } = context;
  /** Ends all ranges of this worker. */
  const ends = new AbortController();
  /** Lets it finish what is being transferred, and begin nothing. */
  const own = createRunControl((reason) => ends.abort(reason));
  const control = withStop(given.control, own);
  const setup = forManyRanges({ ...given, control });
  const persist = persistent(queue.address, clock, signal, rules.tell);
  const ledger = new Ledger(rangesInRedis(redis, run, persist));
  const waiting = new Waiting();
  const running = new Set<Promise<void>>();
  let jobs: Queue<RangeJob> | undefined;
  let worker: Worker<RangeJob> | undefined;
  let coordinator: RunCoordinator | undefined;
  /** Ranges that it has done, and ranges that it works on. */
  let [ranges, held] = [0, 0];
  let reported = 0;
  let signedMs = Number.NEGATIVE_INFINITY;
  let fault: unknown;

  /** To the worker that coordinates, and to those without a range, which take a part of a slow one by themselves. */
  const tellRanges = () => void sendNews(redis, run, 'ranges');
  /** A slot is idle: the worker that coordinates looks at once, and this one if it has no range. */
  const rangesChanged = () => {
    const isMine = coordinator?.isMine === true;
    if (isMine || held === 0) waiting.end();
    if (!isMine) tellRanges();
  };
  const sign = async (hasLeft: boolean) => {
    const waitsFor = rules.waitsFor?.();
    await signWorker(redis, run, {
      id,
      host: hostname(),
      pid: process.pid,
      version,
      slots,
      counts: { ...rules.counts(), ranges },
      ...(hasLeft ? { hasLeft } : {}),
      ...(waitsFor === undefined ? {} : { waitsFor }),
    });
  };
  const look = async () => {
    const nowMs = clock.monotonic();
    const signs = nowMs - signedMs >= TICK_MS;
    if (signs) signedMs = nowMs;
    const [state] = await Promise.all([
      persist(() => readRunState(redis, run)),
      signs ? persist(() => sign(false)) : undefined,
    ]);
    if (state !== undefined) return state;
    throw lostRun(run);
  };
  /** @param deciding the error of the range, which comes last */
  const report = async (failures: readonly Failure[], deciding: SyncerError) => {
    const path = failures.find(({ error }) => error === deciding)?.path;
    const all = [...failures.filter(({ error }) => error !== deciding), { error: deciding, path }];
    const reports = all.slice(-Math.max(1, MOST_ERRORS - reported)).map((failure) => {
      const at = failure.path ?? failure.error.path;
      const { code, message } = failure.error;
      const error = { worker: id, host: hostname(), code, message };
      return { ...error, ...(at === undefined ? {} : { path: at }) };
    });
    reported += reports.length;
    await persist(() => addQueueErrors(redis, run, reports));
  };
  const workOn = async (range: HeldRange, until: AbortSignal) => {
    const failures: Failure[] = [];
    const emit = (event: SyncerEvent) => {
      context.emit(event);
      if (event.type === 'log' && event.code === 'failed')
        failures.push({ error: event.fields.error, path: event.path });
    };
    let wasShared = false;
    const onBatch = () => {
      const canBeShared = range.record.isSlow === true;
      if (canBeShared && !wasShared) tellRanges();
      wasShared ||= canBeShared;
    };
    const within = { ...setup, context: { ...context, signal: until, emit } };
    const { attempt, became } = await workRange(within, task, range, { namesARange, onBatch });
    if (became === 'done') ranges++;
    const { error } = attempt;
    if (error === undefined || became !== 'failed') return;
    // The run stops already.
    if (error.code === 'max-transfer') return;
    await report(failures, error);
    if (error.stop) fault = error;
  };
  const work = async (job: Job<RangeJob>, token: string) => {
    held++;
    const lease = watchLease(clock, async () => {
      const extended = await job.extendLock(token, LEASE.ms);
      return Number(extended) > 0;
    });
    leases?.add(lease);
    const until = new AbortController();
    const both = AbortSignal.any([lease.signal, ends.signal]);
    both.addEventListener('abort', () => until.abort(both.reason), { once: true });
    try {
      const { phase, after } = job.data;
      const wanted = { phase, after, isLost: true };
      const range = await ledger.claim(randomBytes(16).toString('hex'), id, wanted);
      if (range !== undefined) await workOn(range, until.signal);
    } catch (thrown) {
      if (!until.signal.aborted) fault = thrown;
    } finally {
      lease.end();
      leases?.delete(lease);
      held--;
      rangesChanged();
    }
  };
  const begin = async () => {
    const { Worker } = await import('bullmq');
    jobs = await persist(() => openJobs<RangeJob>(redis, run));
    const coordinating = coordinatorOf(rules, task.deletes !== undefined, {
      redis,
      jobs,
      ledger,
      persist,
    });
    coordinator = coordinating;
    const workInTurn = (job: Job<RangeJob>, token = '') => {
      const working = work(job, token);
      running.add(working);
      return working.finally(() => running.delete(working));
    };
    worker = new Worker<RangeJob>(queueName(run), workInTurn, {
      connection: queue.patient(),
      concurrency: slots,
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
    worker.on('error', () => {});
    rules.onBegin?.(worker.id);
    listenForNews(queue, run, (news) => {
      if (news === 'state' || coordinating.isMine || held === 0) waiting.end();
    });
    return coordinating;
  };
  /** Ends what it has begun, at once if the run is aborted, and says that it has left. */
  const leave = async () => {
    const paused = worker?.pause(true);
    if (!control.stopping.aborted) ends.abort(new SyncerError('stopped', 'the run has ended'));
    const ended = Promise.allSettled(running).then(() => true);
    const tick = () => systemClock.sleep(TICK_MS).then(() => false);
    // Others would take it for lost.
    while (!(await Promise.race([ended, tick()]))) void sign(false).catch(() => {});
    task.close?.();
    const closed = async () => {
      await sign(true);
      await sendNews(redis, run, 'state');
      await paused;
      await worker?.close();
      await jobs?.close();
    };
    // A queue that is away answers nothing; the lease runs out by itself.
    await Promise.race([closed().catch(() => {}), systemClock.sleep(CLOSING_MS)]);
  };
  const workToEnd = async () => {
    const { tend } = await begin();
    await look();
    rangesChanged();
    for (;;) {
      const lookedAt = clock.monotonic();
      const state = await look();
      if (state.stop === 'soft') own.stop();
      if (state.ended !== undefined) return state.ended;
      signal.throwIfAborted();
      if (!own.stopping.aborted) control.stopping.throwIfAborted();
      if (fault !== undefined) throw fault;
      if (await tend(state, held === 0)) continue;
      await waiting.wait(clock.sleep(TICK_MS, signal));
      const soon = lookedAt + SHORTEST_TICK_MS - clock.monotonic();
      if (soon > 0) await clock.sleep(soon, signal);
    }
  };
  const exit = control.enter();
  const follow = () => ends.abort(signal.reason);
  return watchingAbort(signal, follow, () => workToEnd().finally(exit).finally(leave));
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
