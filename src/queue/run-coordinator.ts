import { hostname } from 'node:os';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { systemClock } from '../core/context.ts';
import { CLAIMS, type Ledger } from '../ranges/ledger.ts';
import type { LedgerRecord, Phase, RangeRecord } from '../ranges/range-record.ts';
import { rangeKey } from '../ranges/range-store.ts';
import { cutsFor, type IdleSlots } from '../ranges/work-range.ts';
import type { Persistent } from './persistent.ts';
import { damagedEntry } from './queue-entry.ts';
import {
  addQueueErrors,
  endQueueRun,
  endSoftly,
  isAlive,
  nextAttempt,
  type QueueRunState,
  type RunEnding,
  readWorkers,
} from './queue-run.ts';
import { type RunDeeds, reconcile } from './reconcile.ts';
import { runKey } from './run-keys.ts';
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

/** A job: a range in a phase. */
export interface RangeJob {
  readonly phase: Phase;
  readonly after?: string;
}

/** Where a run is kept. */
interface RunPlaces {
  readonly redis: Redis;
  readonly ledger: Ledger;
  readonly jobs: Queue<RangeJob>;
  readonly persist: Persistent;
}

/** How long one worker coordinates without a sign, in milliseconds. */
const LEASE_MS = 2_000;

/** A range that was offered is offered again after this time, in case its job is lost, in milliseconds. */
const OFFER_AGAIN_MS = { open: 400, held: 2_000 } as const;

/** What any worker does for all: one at a time, though nothing depends on that. */
export class RunCoordinator {
  readonly #rules: RunRules;
  readonly #deletes: boolean;
  readonly #places: RunPlaces;
  #isMine = false;
  /** The ranges that waited or were held when the run was last tended, and when each was last offered. */
  #offered = new Map<string, { readonly state: RangeRecord['state']; readonly atMs: number }>();

  /** @param deletes files are deleted in the end */
  constructor(rules: RunRules, deletes: boolean, places: RunPlaces) {
    this.#rules = rules;
    this.#deletes = deletes;
    this.#places = places;
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
    this.#isMine = await this.#claim();
    if (!this.#isMine && !isFree) return false;
    const { redis, ledger, persist } = this.#places;
    const { run, retries, limits } = this.#rules;
    const [{ workers, nowMs }, record] = await Promise.all([
      persist(() => readWorkers(redis, run)),
      ledger.read(),
    ]);
    const alive = workers.filter((worker) => isAlive(worker, nowMs));
    if (!this.#isMine && state.stop !== undefined) return false;
    if (state.stop === 'now') return this.#end({ how: 'stopped', atMs: nowMs });
    if (state.stop !== undefined) {
      // Files are finished as long as their workers have their ranges.
      const isBusy = record.ranges.some(
        ({ state: is, owner }) => is === 'held' && alive.some(({ id }) => id === owner),
      );
      return !isBusy && this.#end({ how: state.reached ?? 'stopped', atMs: nowMs });
    }
    const deeds = reconcile({
      ledger: record,
      workers: alive,
      ...{ attempt: state.attempt, retries, deletes: this.#deletes },
      elapsedMs: nowMs - state.begunMs,
      limits,
    });
    const { slots, workers: free } = deeds.idle;
    const own = isFree ? await this.#cut(record, { slots: 0, workers: free }, 1) : [];
    const others = this.#isMine ? await this.#cut(record, { slots, workers: 0 }, slots) : [];
    const rests = [...own, ...others];
    if (!this.#isMine) {
      await this.#offer(record.phase, rests);
      return false;
    }
    await this.#offer(record.phase, [...deeds.offers, ...rests]);
    await ledger.join(record);
    return this.#step(deeds.step, state, nowMs);
  }

  #claim(): Promise<boolean> {
    const { redis, persist } = this.#places;
    const { run, id } = this.#rules;
    const key = runKey(run, 'lease');
    return persist(async () => {
      const [, owner, leftMs] = await Promise.all([
        redis.set(key, id, 'PX', LEASE_MS, 'NX'),
        redis.get(key),
        redis.pttl(key),
      ]);
      // Without an end it would keep every worker waiting forever.
      if (leftMs === -1) throw damagedEntry(key);
      return owner === id && (await redis.pexpire(key, LEASE_MS)) === 1;
    });
  }

  /** At most `most` cuts. Resolves to the parts that idle slots can take. */
  async #cut(
    { phase, ranges }: LedgerRecord,
    idle: IdleSlots,
    most: number,
  ): Promise<RangeRecord[]> {
    const rests: RangeRecord[] = [];
    // In turns: the first guesses about where names lie are often beyond all of them.
    for (let left = ranges; left.length > 0 && rests.length < most; ) {
      const cuts = cutsFor(left, idle);
      left = [];
      for (const { range, point } of cuts) {
        if (rests.length === most) break;
        const parts = await this.#places.ledger.cut(phase, range, point);
        if (parts === undefined) continue;
        left = [...left, parts[0]];
        rests.push(parts[1]);
      }
    }
    return rests;
  }

  async #offer(phase: Phase, ranges: readonly RangeRecord[]): Promise<void> {
    const offered = this.#offered;
    const nowMs = systemClock.monotonic();
    this.#offered = new Map();
    const jobs = ranges.flatMap(({ after, state }) => {
      const jobId = `${phase}-${Buffer.from(rangeKey(after)).toString('base64url')}`;
      const last = offered.get(jobId);
      const againMs = OFFER_AGAIN_MS[state === 'held' ? 'held' : 'open'];
      const isKnown = last !== undefined && nowMs - last.atMs < againMs;
      // Returned by its holder, it has no job any more.
      const isOffered = isKnown && (state === 'held' || last.state === 'open');
      this.#offered.set(jobId, { state, atMs: isOffered ? last.atMs : nowMs });
      const data = { phase, ...(after === undefined ? {} : { after }) };
      return isOffered ? [] : [{ name: 'range', data, opts: { jobId } }];
    });
    if (jobs.length > 0) await this.#places.persist(() => this.#places.jobs.addBulk(jobs));
  }

  async #step(step: RunDeeds['step'], { attempt }: QueueRunState, nowMs: number): Promise<boolean> {
    const { redis, ledger, persist } = this.#places;
    if (step === undefined) return false;
    if (step === 'phase') return ledger.nextPhase(this.#deletes);
    if (step === 'failed') await this.#reportLost(await ledger.read());
    if (step === 'too-long' && (this.#rules.limits.cutoffMode ?? 'hard') !== 'hard') {
      await persist(() => endSoftly(redis, this.#rules.run, step));
      return true;
    }
    if (step !== 'reopen') return this.#end({ how: step, atMs: nowMs });
    const begins = await persist(() => nextAttempt(redis, this.#rules.run, attempt));
    return begins && ledger.reopen();
  }

  /** No worker has reported an error of these: none has lived long enough. */
  async #reportLost({ ranges }: LedgerRecord): Promise<void> {
    const { redis, persist } = this.#places;
    for (const { isHopeless, after, last } of ranges) {
      if (isHopeless !== true) continue;
      const from = after === undefined ? '' : ` behind "${after}"`;
      const to = last === undefined ? '' : ` up to "${last}"`;
      const message = `names${from}${to} were not finished: ${CLAIMS.most} workers were lost at them, one after the other`;
      const error = { worker: this.#rules.id, host: hostname(), code: 'other', message } as const;
      await persist(() => addQueueErrors(redis, this.#rules.run, [error]));
    }
  }

  async #end(ending: RunEnding): Promise<true> {
    const { redis, persist } = this.#places;
    await persist(() => endQueueRun(redis, this.#rules.run, ending));
    return true;
  }
}
