import { SyncerError } from '../core/errors.ts';
import type { Run } from './run.ts';
import type { SyncOptions } from './sync-options.ts';

/** Keeps a run within `--max-transfer` and `--max-duration`. */
export interface TransferLimit {
  /** Whether a file of `size` bytes may start. */
  mayStart(size: number): boolean;
}

/**
 * The limit of bytes of an attempt. When it is reached: `hard` cancels what runs, `soft` starts nothing
 * more, `cautious` starts nothing that would pass it. The run ends with exit code 8.
 */
export function createTransferLimit(
  run: Run,
  options: Pick<SyncOptions, 'maxTransfer' | 'cutoffMode' | 'deadline'>,
): TransferLimit {
  const { maxTransfer, cutoffMode, deadline } = options;
  let started = 0;
  const reached = () =>
    new SyncerError('max-transfer', 'max transfer limit reached as set by --max-transfer');
  return {
    mayStart(size) {
      if (deadline !== undefined && run.context.clock.monotonic() >= deadline) {
        run.tally.add(tooLong(), undefined);
        return false;
      }
      if (maxTransfer < 0) return true;
      const bytes = Math.max(0, size);
      const fits = cutoffMode === 'soft' ? started < maxTransfer : started + bytes <= maxTransfer;
      if (fits) {
        started += bytes;
        return true;
      }
      if (cutoffMode === 'hard') run.stop(reached());
      run.tally.add(reached(), undefined);
      return false;
    },
  };
}

/** The error of a run that took longer than `--max-duration`: exit code 10. */
export function tooLong(): SyncerError {
  return new SyncerError('max-duration', 'max transfer duration reached as set by --max-duration');
}
