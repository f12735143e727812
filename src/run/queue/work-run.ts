import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { linkedAbort, stopwatch, systemClock, watchingAbort } from '../../core/context.ts';
import { defined } from '../../core/defined.ts';
import { SyncerError } from '../../core/errors.ts';
import type { SyncerEvent } from '../../core/events.ts';
import type { RunSetup } from '../../engine/run.ts';
import { createRunControl, type RunControl, stoppedBy } from '../../engine/run-control.ts';
import { type HeldRange, Ledger } from '../ranges/ledger.ts';
import { type RangeTask, workRange } from '../ranges/work-range.ts';
import type { QueueConnection } from './connect.ts';
import { LEASE, type WatchedLease, watchLease } from './lease-watch.ts';
import { lostRun, persistent } from './queue-error.ts';
import {
  addQueueErrors,
  leaseKey,
  listenForNews,
  MOST_ERRORS,
  queueErrorOf,
  type RunEnding,
  readRunState,
  sendNews,
  signWorker,
  Waiting,
  type WorkerCounts,
} from './queue-run.ts';
import { rangesInRedis } from './ranges-in-redis.ts';
import { type RunRules, runCoordinator } from './run-coordinator.ts';

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
  const { run, id, version, slots, namesARange, leases } = rules;
  const { redis } = queue;
  const { context } = given;
  const { clock, signal } = context;
  /** Ends all ranges of this worker. */
  const ends = new AbortController();
  /** Lets it finish what is being transferred, and begin nothing. */
  const own = createRunControl((reason) => ends.abort(reason));
  const control = withStop(given.control, own);
  const setup = { ...given, control, ids: { last: 0 } };
  const persist = persistent(queue.address, clock, signal, rules.tell);
  const ledger = new Ledger(rangesInRedis(redis, run, persist));
  const coordinator = runCoordinator(rules, task.deletes !== undefined, redis, ledger, persist);
  const waiting = new Waiting();
  /** The work on its ranges. */
  const running = new Set<Promise<void>>();
  /** It is taking ranges; `mayTake`: one may wait. */
  let taking: Promise<void> | undefined;
  let mayTake = false;
  let isLeaving = false;
  /** Ranges that it has done. */
  let ranges = 0;
  let reported = 0;
  let signedMs = Number.NEGATIVE_INFINITY;
  let fault: unknown;

  /** To the worker that coordinates, and to those with idle slots, which take what waits, or a part of a slow range. */
  const tellRanges = () => void sendNews(redis, run, 'ranges');

  const sign = async (hasLeft: boolean) =>
    signWorker(redis, run, {
      id,
      host: hostname(),
      pid: process.pid,
      version,
      slots,
      counts: { ...rules.counts(), ranges },
      ...defined({ hasLeft: hasLeft || undefined, waitsFor: rules.waitsFor?.() }),
    });

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

  /** Takes ranges, one after the other, as long as some wait and slots are idle. */
  const take = () => {
    mayTake = true;
    taking ??= takeAll().finally(() => {
      taking = undefined;
      // News that came just after the last look.
      if (mayTake && running.size < slots) take();
    });
  };

  const takeAll = async () => {
    const isOver = () => ends.signal.aborted || control.stopping.aborted;
    while (mayTake && running.size < slots) {
      mayTake = false;
      if (isLeaving || isOver() || fault !== undefined) return;
      const sinceTaken = stopwatch(clock);
      const token = randomBytes(16).toString('hex');
      try {
        const range = await ledger.claim(token, id);
        if (range === undefined) continue;
        const working = workUnderLease(range, leaseKey(run, token), sinceTaken);
        running.add(working);
        void working.finally(() => {
          running.delete(working);
          waiting.end();
          tellRanges();
          take();
        });
        mayTake = true;
      } catch (thrown) {
        if (!isOver()) fault = thrown;
        waiting.end();
      }
    }
  };

  const workUnderLease = async (range: HeldRange, key: string, sinceTaken: () => number) => {
    const renew = async () => (await redis.pexpire(key, LEASE.ms)) === 1;
    const lease = watchLease(clock, renew, sinceTaken);
    leases?.add(lease);
    // What is asked for each file is much cheaper than a signal of `any`.
    const until = linkedAbort(AbortSignal.any([lease.signal, ends.signal])).signal;
    try {
      await workOn(range, until);
    } catch (thrown) {
      if (!until.aborted) fault = thrown;
    } finally {
      lease.end();
      leases?.delete(lease);
      // One that was not given back goes to others at once.
      redis.del(key).catch(() => {});
    }
  };

  const workOn = async (range: HeldRange, until: AbortSignal) => {
    /** Its errors that were logged, and the paths that they were logged with. */
    const failures: { readonly error: SyncerError; readonly path?: string | undefined }[] = [];
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
    // With `max-transfer` the run stops already.
    if (error === undefined || became !== 'failed' || error.code === 'max-transfer') return;
    // The error of the range comes last.
    const path = failures.find((failure) => failure.error === error)?.path;
    const all = [...failures.filter((failure) => failure.error !== error), { error, path }];
    const reports = all
      .slice(-Math.max(1, MOST_ERRORS - reported))
      .map((failure) => queueErrorOf(id, failure.error, failure.path));
    reported += reports.length;
    await persist(() => addQueueErrors(redis, run, reports));
    if (error.stop) fault = error;
  };

  const workToEnd = async () => {
    listenForNews(queue, run, (news) => {
      if (news === 'ranges') take();
      if (news === 'state' || coordinator.isMine || running.size === 0) waiting.end();
    });
    await look();
    tellRanges();
    for (;;) {
      const lookedAt = clock.monotonic();
      const state = await look();
      if (state.stop === 'soft') own.stop();
      if (state.ended !== undefined) return state.ended;
      signal.throwIfAborted();
      if (!own.stopping.aborted) control.stopping.throwIfAborted();
      if (fault !== undefined) throw fault;
      const isChanged = await coordinator.tend(state, running.size === 0);
      take();
      if (isChanged) continue;
      await waiting.wait(clock.sleep(TICK_MS, signal));
      const soon = lookedAt + SHORTEST_TICK_MS - clock.monotonic();
      if (soon > 0) await clock.sleep(soon, signal);
    }
  };

  /** Ends what it has begun, at once if the run is aborted, and says that it has left. */
  const leave = async () => {
    isLeaving = true;
    if (!control.stopping.aborted) ends.abort(new SyncerError('stopped', 'the run has ended'));
    const ended = Promise.resolve(taking)
      .then(() => Promise.allSettled(running))
      .then(() => true);
    const tick = () => systemClock.sleep(TICK_MS).then(() => false);
    // Others would take it for lost.
    while (!(await Promise.race([ended, tick()]))) void sign(false).catch(() => {});
    task.close?.();
    const closed = async () => {
      await sign(true);
      await sendNews(redis, run, 'state');
    };
    // A queue that is away answers nothing; the lease runs out by itself.
    await Promise.race([closed().catch(() => {}), systemClock.sleep(CLOSING_MS)]);
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
