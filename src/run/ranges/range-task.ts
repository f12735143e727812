import { attemptCheck, type CheckPlan } from '../../engine/check.ts';
import type { SyncPlan } from '../../engine/file-work.ts';
import type { ListedRange } from '../../engine/listed-range.ts';
import type { SyncOptions } from '../../engine/pass.ts';
import type { Attempt, RunSetup } from '../../engine/run.ts';
import { attemptSync } from '../../engine/sync.ts';
import { checkPool } from '../../engine/task-pool.ts';
import { transferPools } from '../../engine/transfer-queue.ts';
import type { Phase } from './range-record.ts';

/** What is done with each range of a run. */
export interface RangeTask {
  /** What the phase `deleting` deletes: extra files, or those of the source; absent: there is no such phase. */
  readonly deletes?: 'extra' | 'source' | undefined;
  /** One range, in a phase. Does not reject: errors are in the result. */
  attempt(setup: RunSetup, range: ListedRange, phase: Phase): Promise<Attempt>;
  /** No range will come. */
  close?(): void;
}

/** Transfers of a range that wait: what waits no other slot can take. */
const BACKLOG = 8;

/** Of the pools that ranges share: what waits is limited in each range. */
const UNLIMITED = Number.POSITIVE_INFINITY;

/**
 * A copy, sync or move in ranges, of which `slots` share `transfers` and `checkers`. A move copies, and deletes at the
 * source in the phase `deleting` what new listings of both sides show at the destination.
 */
export function syncTask(setup: RunSetup, plan: SyncPlan, slots: number): RangeTask {
  const { transfers, checkers, deletes } = plan.options;
  const shared = { transfers: shareOf(transfers, slots), checkers: shareOf(checkers, slots) };
  const options = { ...plan.options, ...shared, fastList: true, maxBacklog: BACKLOG };
  const isMove = plan.verb === 'move';
  const pools = {
    checks: checkPool(plan.options, setup, UNLIMITED),
    transfers: transferPools(plan.options, setup, UNLIMITED),
  };
  return {
    deletes: isMove ? 'source' : deletes === 'off' ? undefined : 'extra',
    attempt(ofRange, range, phase) {
      const attempt = (verb: SyncPlan['verb'], more: Partial<SyncOptions>) =>
        attemptSync(
          { ...ofRange, pools },
          { ...plan, verb, options: { ...options, ...more }, range },
        );
      if (phase !== 'deleting') return attempt(isMove ? 'copy' : plan.verb, { deletes: 'off' });
      // Files on both sides were compared while copying: another worker has not learned their times.
      return attempt(plan.verb, isMove ? {} : { ignoreExisting: true });
    },
    close() {
      pools.transfers.small.close();
      pools.transfers.large.close();
    },
  };
}

/**
 * A check in ranges, of which `slots` share the checkers. Its differences are the extra files of a range, and each range
 * is listed once.
 */
export function checkTask(setup: RunSetup, plan: CheckPlan, slots: number): RangeTask {
  const checkers = shareOf(plan.checkers, slots);
  const pools = { checks: checkPool(plan, setup, UNLIMITED) };
  return {
    attempt: (ofRange, range) => attemptCheck({ ...ofRange, pools }, { ...plan, checkers, range }),
  };
}

/** The share of one of several ranges at the same time. */
const shareOf = (count: number, slots: number): number => Math.max(1, Math.ceil(count / slots));
