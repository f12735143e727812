import { SyncerError } from '../../core/errors.ts';
import { Budget } from '../../engine/loss/budget.ts';
import type { Flags } from './flag-table.ts';

/**
 * What a run may lose by `--max-delete` and `--max-delete-size`. A percentage, which `maxDeletePercent` has, is no limit
 * here; throws `usage` for one unless it is for a sync, which alone can compute it.
 */
export function deleteBudget(flags: Flags, isSync = false): Budget {
  const percent = maxDeletePercent(flags);
  if (percent !== undefined && !isSync) {
    const why = 'a percentage is for sync, which knows how many files there are';
    throw new SyncerError('usage', `--max-delete ${percent}%: ${why}; use a number`);
  }
  const { 'max-delete': most = -1, 'max-delete-size': bytes = -1 } = flags;
  return new Budget(typeof most === 'number' ? most : -1, bytes);
}

/** `--max-delete 20%`; `undefined` for a number of files. */
export function maxDeletePercent({ 'max-delete': most }: Flags): number | undefined {
  return typeof most === 'string' ? Number.parseFloat(most) : undefined;
}
