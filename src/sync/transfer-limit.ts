import { SyncerError } from '../core/errors.ts';
import { tooManyDeletes } from './delete-budget.ts';
import type { Run } from './run.ts';
import type { SyncOptions } from './sync-options.ts';

/** Many files up to this size, in bytes, are on their way at the same time. */
const SMALL = 128 * 1024;

/** Keeps a run within `--max-transfer` and `--max-duration`, and a move within `--max-delete`. */
export interface TransferLimit {
  /** Whether there is time for another file. */
  mayStart(): boolean;
  /** Whether a file of `size` bytes may be copied; the answer yes counts it as begun. */
  mayCopy(size: number): boolean;
  /** A file that was begun is over. */
  copied(size: number): void;
  /** Whether a move may delete one file more: the source's, or one that another takes the place of. */
  mayDelete(): boolean;
}

/**
 * The limits of an attempt. Once one is reached nothing more begins, what has begun is finished, and the run ends
 * with exit code 8 or 10. `soft` begins files until that many bytes are through, of which small files are
 * when they begin; `hard` never begins a file that would pass the limit, `cautious` none that would reach it. The store's own moves are no transfers, as in rclone.
 */
export function createTransferLimit(
  run: Run,
  options: Pick<SyncOptions, 'maxTransfer' | 'cutoffMode' | 'deadline' | 'deleteBudget'>,
): TransferLimit {
  const { maxTransfer, cutoffMode, deleteBudget } = options;
  let begun = 0;
  let through = 0;
  let reached = false;
  const end = (error: SyncerError) => {
    reached = true;
    run.tally.addLast(error);
    return false;
  };
  const fits = (bytes: number) => {
    if (cutoffMode === 'soft') return through < maxTransfer;
    const sum = begun + bytes;
    return cutoffMode === 'cautious' ? sum < maxTransfer : sum <= maxTransfer;
  };
  return {
    mayStart() {
      if (reached || run.isStopping()) return false;
      return isLate(run, options) ? end(tooLong()) : true;
    },
    mayCopy(size) {
      if (reached) return false;
      const bytes = Math.max(0, size);
      if (maxTransfer >= 0 && !fits(bytes)) return end(tooMuch());
      begun += bytes;
      if (bytes <= SMALL) through += bytes;
      return true;
    },
    copied(size) {
      if (size > SMALL) through += size;
    },
    mayDelete() {
      if (deleteBudget.take(1) === 1) return true;
      run.tally.add(tooManyDeletes(), undefined);
      return false;
    },
  };
}

/** Whether a run has taken as long as `--max-duration` lets it. */
export function isLate({ context }: Run, { deadline }: Pick<SyncOptions, 'deadline'>): boolean {
  return deadline !== undefined && context.clock.monotonic() >= deadline;
}

function tooMuch(): SyncerError {
  return new SyncerError('max-transfer', 'max transfer limit reached as set by --max-transfer');
}

/** The error of a run that took longer than `--max-duration`: exit code 10. */
export function tooLong(): SyncerError {
  return new SyncerError('max-duration', 'max transfer duration reached as set by --max-duration');
}
