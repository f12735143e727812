import { coversAllNames, type LedgerRecord, type RangeRecord } from '../ranges/range-record.ts';
import type { IdleSlots } from '../ranges/work-range.ts';
import type { RunEnding } from './queue-run.ts';
import type { QueueLimits } from './run-spec.ts';

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
export interface RunDeeds {
  /** Ranges that need a job. Adding one that has a job changes nothing. */
  readonly offers: readonly RangeRecord[];
  /** What cuts are wanted for. */
  readonly idle: IdleSlots;
  /** `phase`: begin the next one; `reopen`: begin the next attempt; the others end the run. */
  readonly step?: 'phase' | 'reopen' | Exclude<RunEnding['how'], 'stopped' | 'too-much'>;
}

/** Waiting ranges with a job, for each slot. The others wait in the ledger, so that the queue stays small. */
const OFFERS_A_SLOT = 4;

/** Decides what follows from the state of a run. Pure: each worker may ask, and none is needed. */
export function reconcile(situation: RunSituation): RunDeeds {
  const { ledger, workers, attempt, retries, elapsedMs, limits } = situation;
  const { phase, ranges } = ledger;
  const nothing = { offers: [], idle: { slots: 0, workers: 0 } };
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
  return {
    offers: [...held, ...open.slice(0, OFFERS_A_SLOT * Math.max(1, slots))],
    idle: { slots: left(slots - held.length), workers: left(free.length) },
  };
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
