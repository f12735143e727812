import { SyncerError } from '../../core/errors.ts';
import type { Flags } from './flag-table.ts';

/** The arguments of `deleteBudget`: the most files and bytes that may be deleted; -1: no limit. */
export type DeleteLimits = readonly [files: number, bytes: number];

/**
 * `--max-delete` and `--max-delete-size`. A percentage, which `maxDeletePercent` has, is no limit here; throws `usage`
 * for one unless it is for a sync, which alone can compute it.
 */
export function deleteLimits(flags: Flags, isSync = false): DeleteLimits {
  const percent = maxDeletePercent(flags);
  if (percent !== undefined && !isSync) {
    const why = 'a percentage is for sync, which knows how many files there are';
    throw new SyncerError('usage', `--max-delete ${percent}%: ${why}; use a number`);
  }
  const { 'max-delete': most = -1, 'max-delete-size': bytes = -1 } = flags;
  return [typeof most === 'number' ? most : -1, bytes];
}

/** `--max-delete 20%`; `undefined` for a number of files. */
export function maxDeletePercent({ 'max-delete': most }: Flags): number | undefined {
  return typeof most === 'string' ? Number.parseFloat(most) : undefined;
}
