import { attemptCheck, type CheckPlan } from '../sync/check.ts';
import type { SyncPlan } from '../sync/file-work.ts';
import type { ListedRange } from '../sync/listed-range.ts';
import type { Attempt, RunSetup } from '../sync/run.ts';
import { attemptSync } from '../sync/sync.ts';
import type { Phase } from './range-record.ts';

/** What is done with each range of a run. */
export interface RangeTask {
  /** What the phase `deleting` deletes: extra files, or those of the source; absent: there is no such phase. */
  readonly deletes?: 'extra' | 'source' | undefined;
  /** One range, in a phase. Does not reject: errors are in the result. */
  attempt(setup: RunSetup, range: ListedRange, phase: Phase): Promise<Attempt>;
}

/** Transfers of a range that wait: what waits no other slot can take. */
const BACKLOG = 8;

/**
 * A copy, sync or move in ranges, of which `slots` share `transfers` and `checkers`. A move copies, and deletes at the
 * source in the phase `deleting` what new listings of both sides show at the destination.
 */
export function syncTask(plan: SyncPlan, slots: number): RangeTask {
  const { transfers, checkers, deletes } = plan.options;
  const shared = { transfers: shareOf(transfers, slots), checkers: shareOf(checkers, slots) };
  const options = { ...plan.options, ...shared, fastList: true, maxBacklog: BACKLOG };
  const isMove = plan.verb === 'move';
  return {
    deletes: isMove ? 'source' : deletes === 'off' ? undefined : 'extra',
    attempt(setup, range, phase) {
      if (phase === 'deleting') return attemptSync(setup, { ...plan, options, range });
      const copies = { ...options, deletes: 'off' } as const;
      const verb = isMove ? 'copy' : plan.verb;
      return attemptSync(setup, { ...plan, verb, options: copies, range });
    },
  };
}

/**
 * A check in ranges, of which `slots` share the checkers. Its differences are the extra files of a range, and each range
 * is listed once.
 */
export function checkTask(plan: CheckPlan, slots: number): RangeTask {
  const checkers = shareOf(plan.checkers, slots);
  return { attempt: (setup, range) => attemptCheck(setup, { ...plan, checkers, range }) };
}

/** The share of one of several ranges at the same time. */
const shareOf = (count: number, slots: number): number => Math.max(1, Math.ceil(count / slots));
