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

/**
 * What any worker does for all: one at a time, though nothing depends on that.
 *
 * @param deletes files are deleted in the end
 */
export function runCoordinator(
  { run, id, retries, limits }: RunRules,
  deletes: boolean,
  redis: Redis,
  ledger: Ledger,
  persist: Persistent,
) {
  let isMine = false;
  const key = runKey(run, 'lease');
  const claim = async () => {
    const [, owner, leftMs] = await Promise.all([
      redis.set(key, id, 'PX', LEASE_MS, 'NX'),
      redis.get(key),
      redis.pttl(key),
    ]);
    // Without an end it would keep every worker waiting forever.
    if (leftMs === -1) throw damagedEntry(key);
    return owner === id && (await redis.pexpire(key, LEASE_MS)) === 1;
  };
  /** At most `most` cuts. Resolves to the number of parts that idle slots can take. */
  const cut = async ({ phase, ranges }: LedgerRecord, idle: IdleSlots, most: number) => {
    let made = 0;
    // In turns: the first guesses about where names lie are often beyond all of them.
    for (let left = ranges; left.length > 0 && made < most; ) {
      const cuts = cutsFor(left, idle);
      left = [];
      for (const { range, point } of cuts) {
        if (made === most) break;
        const parts = await ledger.cut(phase, range, point);
        if (parts === undefined) continue;
        left = [...left, parts[0]];
        made++;
      }
    }
    return made;
  };
  /** Ranges whose leases have run out wait for others. Resolves to their number. */
  const freeLost = async ({ phase, ranges }: LedgerRecord) => {
    const held = ranges.filter(({ state }) => state === 'held');
    if (held.length === 0) return 0;
    const keys = held.map(({ token }) => leaseKey(run, token));
    const leases = await persist(() => redis.mget(keys));
    const lost = held.filter((_, i) => leases[i] === null);
    const freed = await Promise.all(lost.map((range) => ledger.free(phase, range)));
    return freed.filter(Boolean).length;
  };
  const end = async (how: RunEnding['how'], atMs: number) => {
    await persist(() => endQueueRun(redis, run, { how, atMs }));
    return true;
  };
  /** No worker has reported an error of these: none has lived long enough. */
  const reportLost = async ({ ranges }: LedgerRecord) => {
    for (const { isHopeless, after, last } of ranges) {
      if (isHopeless !== true) continue;
      const from = after === undefined ? '' : ` behind "${after}"`;
      const to = last === undefined ? '' : ` up to "${last}"`;
      const message = `names${from}${to} were not finished: ${CLAIMS.most} workers were lost at them, one after the other`;
      const error = queueErrorOf(id, new SyncerError('other', message));
      await persist(() => addQueueErrors(redis, run, [error]));
    }
  };
  const go = async (step: RunDeeds['step'], attempt: number, nowMs: number) => {
    if (step === undefined) return false;
    if (step === 'failed') await reportLost(await ledger.read());
    if (step === 'too-long' && (limits.cutoffMode ?? 'hard') !== 'hard') {
      await persist(() => endSoftly(redis, run, step));
      return true;
    }
    if (step !== 'phase' && step !== 'reopen') return end(step, nowMs);
    const waits =
      step === 'phase'
        ? await ledger.nextPhase(deletes)
        : (await persist(() => nextAttempt(redis, run, attempt))) && (await ledger.reopen());
    // Ranges may wait again.
    if (waits) await sendNews(redis, run, 'ranges');
    return waits;
  };
  return {
    /** Whether this worker was the one when the run was last tended. */
    get isMine() {
      return isMine;
    },
    /**
     * Does what follows from the state of the run. `true` if that changed the state: it can be looked at again.
     *
     * @param isFree this worker has no range: it takes a part of a slow one by itself, as the coordinator is likely busy
     */
    async tend(state: QueueRunState, isFree: boolean): Promise<boolean> {
      isMine = await persist(claim);
      if (!isMine && (!isFree || state.stop !== undefined)) return false;
      const [{ workers, nowMs }, record] = await Promise.all([
        persist(() => readWorkers(redis, run)),
        ledger.read(),
      ]);
      const alive = workers.filter((worker) => isAlive(worker, nowMs));
      if (state.stop === 'now') return end('stopped', nowMs);
      if (state.stop !== undefined) {
        // Files are finished as long as their workers have their ranges.
        const isBusy = record.ranges.some(
          ({ state: is, owner }) => is === 'held' && alive.some((worker) => worker.id === owner),
        );
        return !isBusy && end(state.reached ?? 'stopped', nowMs);
      }
      const elapsedMs = nowMs - state.begunMs;
      const about = { attempt: state.attempt, retries, deletes, elapsedMs, limits };
      const { idle, step } = reconcile({ ...about, ledger: record, workers: alive });
      const { slots, workers: free } = idle;
      let opened = isFree ? await cut(record, { slots: 0, workers: free }, 1) : 0;
      if (isMine) {
        opened += await cut(record, { slots, workers: 0 }, slots);
        opened += await freeLost(record);
      }
      if (opened > 0) await sendNews(redis, run, 'ranges');
      if (!isMine) return false;
      await ledger.join(record);
      return go(step, state.attempt, nowMs);
    },
  };
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
