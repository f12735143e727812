import type { SyncerError } from '../core/errors.ts';
import type { Run } from './run.ts';
import { SMALL_TRANSFER, tooMuch } from './run-limits.ts';
import type { PlainOptions } from './sync-option-parts.ts';

/** Enforces `--max-transfer`, and for a move `--max-delete` and `--max-delete-size`. */
export type TransferLimit = ReturnType<typeof createTransferLimit>;

/**
 * The limits of an attempt. Once one is reached nothing more starts, running transfers are finished, and the run ends
 * with exit code 8. `soft` starts files until that many bytes are transferred, counting small files from their
 * start; `hard` never starts a file that would exceed the limit, `cautious` none that would reach it. Server-side moves
 * are no transfers, as in rclone.
 */
export function createTransferLimit(
  run: Run,
  options: Pick<PlainOptions, 'maxTransfer' | 'cutoffMode' | 'deleteBudget'>,
) {
  const { maxTransfer, cutoffMode, deleteBudget } = options;
  const { sharedTransfer: shared } = run;
  let begun = 0;
  let through = 0;
  let reached = false;
  const end = (error: SyncerError, path?: string) => {
    reached = true;
    run.tally.addLast(error, path);
    return false;
  };
  const fits = (bytes: number) => {
    if (cutoffMode === 'soft') return through < maxTransfer;
    const sum = begun + bytes;
    return cutoffMode === 'cautious' ? sum < maxTransfer : sum <= maxTransfer;
  };
  return {
    /** Whether another file may begin. */
    mayStart: () => !reached && !run.isStopping(),
    /** Whether a file of `size` bytes may be copied; `true` counts it as started, `false` reports its path. */
    mayCopy(path: string, size: number): boolean | Promise<boolean> {
      if (reached) return false;
      const bytes = Math.max(0, size);
      if (shared !== undefined) {
        return shared.take(bytes).then((may) => may || end(tooMuch(), path));
      }
      if (maxTransfer >= 0 && !fits(bytes)) return end(tooMuch(), path);
      begun += bytes;
      if (bytes <= SMALL_TRANSFER) through += bytes;
      return true;
    },
    /** A started file has ended, with `bytes` where its size was unknown or 0. */
    copied(size: number, bytes: number) {
      if (size <= 0 && bytes > 0) {
        begun += bytes;
        through += bytes;
        shared?.came(bytes);
        // Others may have started with it.
        const isLimited = shared === undefined && maxTransfer >= 0 && cutoffMode !== 'soft';
        if (isLimited && !reached && begun > maxTransfer) end(tooMuch());
      }
      if (size <= SMALL_TRANSFER) return;
      through += size;
      shared?.through(size);
    },
    /** Whether a move may delete one file more, of `size` bytes: the source's, or a replaced one. */
    takeMoveDelete(size: number) {
      if (deleteBudget.take(1, [size]) === 1) return true;
      run.tally.add(deleteBudget.error(), undefined);
      return false;
    },
  };
}
