import { hostname } from 'node:os';
import { type Context, systemClock, watchingAbort } from '../../core/context.ts';
import { defined } from '../../core/defined.ts';
import { SyncerError } from '../../core/errors.ts';
import type { RunSetup } from '../../engine/run.ts';
import { createRunControl, type RunControl, stoppedBy } from '../../engine/run-control.ts';
import { Ledger } from '../ranges/ledger.ts';
import type { RangeTask } from '../ranges/work-range.ts';
import type { QueueConnection } from './connect.ts';
import { lostRun, persistent } from './queue-error.ts';
import {
  listenForNews,
  type QueueRunState,
  type RunEnding,
  readRunState,
  sendNews,
  signWorker,
  Waiting,
  type WorkerCounts,
} from './queue-run.ts';
import { rangesInRedis } from './ranges-in-redis.ts';
import { RunCoordinator, type RunInQueue, type RunRules } from './run-coordinator.ts';
import { type WorkerSlotRules, WorkerSlots } from './worker-slots.ts';

/** How a worker takes part in a run. */
export interface WorkRules extends RunRules, WorkerSlotRules {
  readonly version: string;
  /** Gets lines about the queue for people. */
  tell(text: string): void;
  /** What it waits for, in words; `undefined`: nothing. */
  waitsFor?(): string | undefined;
  /** What this worker has done so far. */
  counts(): Omit<WorkerCounts, 'ranges'>;
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
  setup: RunSetup,
  task: RangeTask,
  connection: QueueConnection,
  rules: WorkRules,
): Promise<RunEnding> {
  return new RunWorker(setup, task, connection, rules).work();
}

/** A worker of a run: gives signs of life, coordinates when it is its turn, and has slots that work on ranges. */
class RunWorker {
  readonly #rules: WorkRules;
  readonly #context: Context;
  readonly #task: RangeTask;
  readonly #connection: QueueConnection;
  readonly #queue: RunInQueue;
  readonly #coordinator: RunCoordinator;
  readonly #slots: WorkerSlots;
  readonly #waiting = new Waiting();
  /** Ends all its ranges. */
  readonly #ends = new AbortController();
  /** Lets it finish what is being transferred, and begin nothing: the run is stopped for all workers. */
  readonly #ofRun = createRunControl((reason) => this.#ends.abort(reason));
  /** The same, also by a person at this worker. */
  readonly #control: RunControl;
  /** When it gave the last sign. */
  #signedMs = Number.NEGATIVE_INFINITY;

  constructor(given: RunSetup, task: RangeTask, connection: QueueConnection, rules: WorkRules) {
    const { context } = given;
    const { redis, address } = connection;
    const persist = persistent(address, context.clock, context.signal, rules.tell);
    const ledger = new Ledger(rangesInRedis(redis, rules.run, persist));
    this.#rules = rules;
    this.#context = context;
    this.#task = task;
    this.#connection = connection;
    this.#queue = { redis, ledger, persist };
    this.#control = withStop(given.control, this.#ofRun);
    this.#coordinator = new RunCoordinator(rules, task.deletes !== undefined, this.#queue);
    const setup = { ...given, control: this.#control, ids: { last: 0 } };
    const parts = { setup, task, ends: this.#ends.signal, waiting: this.#waiting };
    this.#slots = new WorkerSlots(rules, parts, this.#queue);
  }

  async work(): Promise<RunEnding> {
    const { signal } = this.#context;
    const exit = this.#control.enter();
    const follow = () => this.#ends.abort(signal.reason);
    return watchingAbort(signal, follow, () =>
      this.#workToEnd()
        .finally(exit)
        .finally(() => this.#leave()),
    );
  }

  async #workToEnd(): Promise<RunEnding> {
    const { clock, signal } = this.#context;
    this.#listen();
    await this.#look();
    this.#slots.announceRanges();
    for (;;) {
      const lookedAt = clock.monotonic();
      const state = await this.#look();
      if (state.stop === 'soft') this.#ofRun.stop();
      if (state.ended !== undefined) return state.ended;
      this.#assertGoesOn();
      const isChanged = await this.#coordinator.tend(state, this.#slots.areIdle);
      this.#slots.take();
      if (isChanged) continue;
      await this.#waiting.wait(clock.sleep(TICK_MS, signal));
      const soon = lookedAt + SHORTEST_TICK_MS - clock.monotonic();
      if (soon > 0) await clock.sleep(soon, signal);
    }
  }

  /** News of the queue are acted on before the next look. */
  #listen(): void {
    listenForNews(this.#connection, this.#rules.run, (news) => {
      if (news === 'ranges') this.#slots.take();
      if (news === 'state' || this.#coordinator.isMine || this.#slots.areIdle) this.#waiting.end();
    });
  }

  /** The state of the run. Gives a sign if it is time for one. */
  async #look(): Promise<QueueRunState> {
    const { run } = this.#rules;
    const { redis, persist } = this.#queue;
    const nowMs = this.#context.clock.monotonic();
    const signs = nowMs - this.#signedMs >= TICK_MS;
    if (signs) this.#signedMs = nowMs;
    const [state] = await Promise.all([
      persist(() => readRunState(redis, run)),
      signs ? persist(() => this.#sign()) : undefined,
    ]);
    if (state === undefined) throw lostRun(run);
    return state;
  }

  /** Throws if the run is aborted, a person has stopped it here, or a range had a fault that ends this worker. */
  #assertGoesOn(): void {
    this.#context.signal.throwIfAborted();
    if (!this.#ofRun.stopping.aborted) this.#control.stopping.throwIfAborted();
    this.#slots.assertNoFault();
  }

  async #sign(hasLeft = false): Promise<void> {
    const rules = this.#rules;
    const { run, id, version, slots } = rules;
    await signWorker(this.#queue.redis, run, {
      id,
      host: hostname(),
      pid: process.pid,
      version,
      slots,
      counts: { ...rules.counts(), ranges: this.#slots.done },
      ...defined({ hasLeft: hasLeft || undefined, waitsFor: rules.waitsFor?.() }),
    });
  }

  /** Ends what it has begun, at once if the run is aborted, and says that it has left. */
  async #leave(): Promise<void> {
    this.#slots.close();
    if (!this.#control.stopping.aborted)
      this.#ends.abort(new SyncerError('stopped', 'the run has ended'));
    const ended = this.#slots.ended().then(() => true);
    const tick = () => systemClock.sleep(TICK_MS).then(() => false);
    // Others would take it for lost.
    while (!(await Promise.race([ended, tick()]))) void this.#sign().catch(() => {});
    this.#task.close?.();
    // A queue that is away answers nothing; the lease runs out by itself.
    await Promise.race([this.#sayLeft().catch(() => {}), systemClock.sleep(CLOSING_MS)]);
  }

  async #sayLeft(): Promise<void> {
    await this.#sign(true);
    await sendNews(this.#queue.redis, this.#rules.run, 'state');
  }
}

/** The control of a person at this worker, and that of a person who stops the whole run. */
function withStop(control: RunControl | undefined, ofRun: RunControl): RunControl {
  if (control === undefined) return ofRun;
  return stoppedBy(control, ofRun.stopping, () => {
    const leaves = [control.enter(), ofRun.enter()];
    return () => {
      for (const leave of leaves) leave();
    };
  });
}
