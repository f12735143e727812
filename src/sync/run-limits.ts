import type { Context } from '../core/context.ts';
import { SyncerError } from '../core/errors.ts';

/** How many files may still be deleted (`--max-delete`). Attempts of one run share it, as in rclone. */
export interface DeleteBudget {
  /** Reserves `wanted` deletions; returns how many of them may be made. */
  take(wanted: number): number;
}

/** A budget of `most` files; -1: no limit. */
export function deleteBudget(most: number): DeleteBudget {
  let left = most < 0 ? Number.POSITIVE_INFINITY : most;
  return {
    take(wanted) {
      const allowed = Math.min(wanted, left);
      left -= allowed;
      return allowed;
    },
  };
}

/** The error of a run that would delete more than its budget: exit code 7. */
export function tooManyDeletes(): SyncerError {
  return new SyncerError('fatal', '--max-delete threshold reached');
}

/** Whether a run has exceeded `--max-duration`. */
export function isLate(
  { context }: { readonly context: Context },
  { deadline }: { readonly deadline?: number | undefined },
): boolean {
  return deadline !== undefined && context.clock.monotonic() >= deadline;
}

/** The error of a run that would transfer more than `--max-transfer`: exit code 8. */
export function tooMuch(): SyncerError {
  return new SyncerError('max-transfer', 'max transfer limit reached as set by --max-transfer');
}

/** The error of a run that exceeded `--max-duration`: exit code 10. */
export function tooLong(): SyncerError {
  return new SyncerError('max-duration', 'max transfer duration reached as set by --max-duration');
}
