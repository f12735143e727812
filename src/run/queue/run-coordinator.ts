import type { Redis } from 'ioredis';
import { SyncerError } from '../../core/errors.ts';
import {
  CLAIMS,
  coversAllNames,
  type Ledger,
  type LedgerRecord,
  type RangeRecord,
} from '../ranges/ledger.ts';
import { cutsFor, type IdleSlots } from '../ranges/work-range.ts';
import type { Persistent } from './queue-error.ts';
import {
  addQueueErrors,
  damagedEntry,
  endQueueRun,
  endSoftly,
  isAlive,
  leaseKey,
  nextAttempt,
  type QueueRunState,
  queueErrorOf,
  type RunEnding,
  readWorkers,
  runKey,
  sendNews,
} from './queue-run.ts';
import type { QueueLimits } from './run-spec.ts';

/** What decides how a run goes on, the same for all its workers, and the name of this one. */
export interface RunRules {
  readonly run: string;
  /** Of this worker; no other one has it. */
  readonly id: string;
  /** Attempts in all (`--retries`). */
  readonly retries: number;
  readonly limits: QueueLimits;
}

/** How long one worker coordinates without a sign, in milliseconds. */
const LEASE_MS = 2_000;

/** A run in its queue, as its workers reach it. */
export interface RunInQueue {
  readonly redis: Redis;
  readonly ledger: Ledger;
  readonly persist: Persistent;
}

/** What any worker does for all: one at a time, though nothing depends on that. */
export class RunCoordinator {
  readonly #rules: RunRules;
  readonly #deletes: boolean;
  readonly #redis: Redis;
  readonly #ledger: Ledger;
  readonly #persist: Persistent;
  /** Who coordinates. */
  readonly #leaseKey: string;
  #isMine = false;

  /** @param deletes files are deleted in the end */
  constructor(rules: RunRules, deletes: boolean, { redis, ledger, persist }: RunInQueue) {
    this.#rules = rules;
    this.#deletes = deletes;
    this.#redis = redis;
    this.#ledger = ledger;
    this.#persist = persist;
    this.#leaseKey = runKey(rules.run, 'lease');
  }

  /** Whether this worker was the one when the run was last tended. */
  get isMine(): boolean {
    return this.#isMine;
  }

  /**
   * Does what follows from the state of the run. `true` if that changed the state: it can be looked at again.
   *
   * @param isFree this worker has no range: it takes a part of a slow one by itself, as the coordinator is likely busy
   */
  async tend(state: QueueRunState, isFree: boolean): Promise<boolean> {
    this.#isMine = await this.#persist(() => this.#claim());
    if (!this.#isMine && (!isFree || state.stop !== undefined)) return false;
    const [{ workers, nowMs }, ledger] = await Promise.all([
      this.#persist(() => readWorkers(this.#redis, this.#rules.run)),
      this.#ledger.read(),
    ]);
    const alive = workers.filter((worker) => isAlive(worker, nowMs));
    if (state.stop === 'now') return this.#end('stopped', nowMs);
    if (state.stop !== undefined) {
      // Files are finished as long as their workers have their ranges.
      const isBusy = ledger.ranges.some(
        ({ state: is, owner }) => is === 'held' && alive.some((worker) => worker.id === owner),
      );
      return !isBusy && this.#end(state.reached ?? 'stopped', nowMs);
    }
    const { attempt } = state;
    const { retries, limits } = this.#rules;
    const elapsedMs = nowMs - state.begunMs;
    const about = { attempt, retries, deletes: this.#deletes, elapsedMs, limits };
    const { idle, step } = reconcile({ ...about, ledger, workers: alive });
    await this.#shareOut(ledger, idle, isFree);
    if (!this.#isMine) return false;
    await this.#ledger.join(ledger);
    return this.#go(step, attempt, nowMs);
  }

  /** Whether this worker coordinates now. */
  async #claim(): Promise<boolean> {
    const { id } = this.#rules;
    const [, owner, leftMs] = await Promise.all([
      this.#redis.set(this.#leaseKey, id, 'PX', LEASE_MS, 'NX'),
      this.#redis.get(this.#leaseKey),
      this.#redis.pttl(this.#leaseKey),
    ]);
    // Without an end it would keep every worker waiting forever.
    if (leftMs === -1) throw damagedEntry(this.#leaseKey);
    return owner === id && (await this.#redis.pexpire(this.#leaseKey, LEASE_MS)) === 1;
  }

  /** Opens ranges for what is idle. */
  async #shareOut(ledger: LedgerRecord, { slots, workers }: IdleSlots, isFree: boolean) {
    let opened = isFree ? await this.#cut(ledger, { slots: 0, workers }, 1) : 0;
    if (this.#isMine) {
      opened += await this.#cut(ledger, { slots, workers: 0 }, slots);
      opened += await this.#freeLost(ledger);
    }
    if (opened > 0) await sendNews(this.#redis, this.#rules.run, 'ranges');
  }

  /** At most `most` cuts. Resolves to the number of parts that idle slots can take. */
  async #cut({ phase, ranges }: LedgerRecord, idle: IdleSlots, most: number): Promise<number> {
    let made = 0;
    // In turns: the first guesses about where names lie are often beyond all of them.
    for (let left = ranges; left.length > 0 && made < most; ) {
      const cuts = cutsFor(left, idle);
      left = [];
      for (const { range, point } of cuts) {
        if (made === most) break;
        const parts = await this.#ledger.cut(phase, range, point);
        if (parts === undefined) continue;
        left = [...left, parts[0]];
        made++;
      }
    }
    return made;
  }

  /** Ranges whose leases have run out wait for others. Resolves to their number. */
  async #freeLost({ phase, ranges }: LedgerRecord): Promise<number> {
    const held = ranges.filter(({ state }) => state === 'held');
    if (held.length === 0) return 0;
    const keys = held.map(({ token }) => leaseKey(this.#rules.run, token));
    const leases = await this.#persist(() => this.#redis.mget(keys));
    const lost = held.filter((_, i) => leases[i] === null);
    const freed = await Promise.all(lost.map((range) => this.#ledger.free(phase, range)));
    return freed.filter(Boolean).length;
  }

  async #go(step: RunDeeds['step'], attempt: number, nowMs: number): Promise<boolean> {
    const { run, limits } = this.#rules;
    if (step === undefined) return false;
    if (step === 'failed') await this.#reportLost(await this.#ledger.read());
    if (step === 'too-long' && (limits.cutoffMode ?? 'hard') !== 'hard') {
      await this.#persist(() => endSoftly(this.#redis, run, step));
      return true;
    }
    if (step !== 'phase' && step !== 'reopen') return this.#end(step, nowMs);
    const waits =
      step === 'phase' ? await this.#ledger.nextPhase(this.#deletes) : await this.#reopen(attempt);
    // Ranges may wait again.
    if (waits) await sendNews(this.#redis, run, 'ranges');
    return waits;
  }

  async #reopen(attempt: number): Promise<boolean> {
    const isNext = await this.#persist(() => nextAttempt(this.#redis, this.#rules.run, attempt));
    return isNext && this.#ledger.reopen();
  }

  async #end(how: RunEnding['how'], atMs: number): Promise<true> {
    await this.#persist(() => endQueueRun(this.#redis, this.#rules.run, { how, atMs }));
    return true;
  }

  /** No worker has reported an error of these: none has lived long enough. */
  async #reportLost({ ranges }: LedgerRecord): Promise<void> {
    const { run, id } = this.#rules;
    for (const { isHopeless, after, last } of ranges) {
      if (isHopeless !== true) continue;
      const from = after === undefined ? '' : ` behind "${after}"`;
      const to = last === undefined ? '' : ` up to "${last}"`;
      const message = `names${from}${to} were not finished: ${CLAIMS.most} workers were lost at them, one after the other`;
      const error = queueErrorOf(id, new SyncerError('other', message));
      await this.#persist(() => addQueueErrors(this.#redis, run, [error]));
    }
  }
}

/** What is known of a run when it is looked at. */
export interface RunSituation {
  readonly ledger: LedgerRecord;
  /** Those that are alive, with the number of ranges that each can work on at the same time. */
  readonly workers: readonly { readonly id: string; readonly slots: number }[];
  /** Which attempt this is, from 1, and how many there may be (`--retries`). */
  readonly attempt: number;
  readonly retries: number;
  /** Files are deleted in the end: extra ones by `sync`, those of the source by `move`. */
  readonly deletes: boolean;
  /** How long the run has lasted, in milliseconds. */
  readonly elapsedMs: number;
  readonly limits: Pick<QueueLimits, 'maxDelete' | 'maxDeleteBytes' | 'maxDurationMs'>;
}

/** What is to be done next. */
interface RunDeeds {
  /** What cuts are wanted for. */
  readonly idle: IdleSlots;
  /** `phase`: begin the next one; `reopen`: begin the next attempt; the others end the run. */
  readonly step?: 'phase' | 'reopen' | Exclude<RunEnding['how'], 'stopped' | 'too-much'>;
}

/** Decides what follows from the state of a run. Pure: each worker may ask, and none is needed. */
export function reconcile(situation: RunSituation): RunDeeds {
  const { ledger, workers, attempt, retries, elapsedMs, limits } = situation;
  const { phase, ranges } = ledger;
  const nothing = { idle: { slots: 0, workers: 0 } };
  if (phase === 'done') return { ...nothing, step: 'finished' };
  if (elapsedMs > (limits.maxDurationMs ?? Number.POSITIVE_INFINITY))
    return { ...nothing, step: 'too-long' };
  const held = ranges.filter(({ state }) => state === 'held');
  const open = ranges.filter(({ state }) => state === 'open');
  if (held.length + open.length === 0) {
    const failed = ranges.filter(({ state }) => state === 'failed');
    if (failed.length > 0) {
      const mayHelp = attempt < retries && failed.some(({ isHopeless }) => isHopeless !== true);
      return { ...nothing, step: mayHelp ? 'reopen' : 'failed' };
    }
    if (!coversAllNames(ranges)) return { ...nothing, step: 'failed' };
    return { ...nothing, step: overLimit(situation) ?? 'phase' };
  }
  const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
  const free = workers.filter(({ id }) => !held.some(({ owner }) => owner === id));
  const left = (count: number) => Math.max(0, count - open.length);
  return { idle: { slots: left(slots - held.length), workers: left(free.length) } };
}

/** Which limit the deletions of the next phase exceed. */
function overLimit({ ledger, deletes, limits }: RunSituation) {
  if (!deletes || ledger.phase !== 'copying') return undefined;
  const { maxDelete = Infinity, maxDeleteBytes = Infinity } = limits;
  const sum = (of: (range: RangeRecord) => number) =>
    ledger.ranges.reduce((total, range) => total + of(range), 0);
  if (sum(({ extra }) => extra) > maxDelete) return 'too-many-deletes';
  return sum(({ extraBytes = 0 }) => extraBytes) > maxDeleteBytes ? 'too-large-deletes' : undefined;
}
