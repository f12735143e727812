import { SyncerError } from '../core/errors.ts';

/**
 * How many files and bytes may still be deleted. Attempts of one run share it, as in rclone. A deletion takes from it
 * before `--dry-run` or a person is asked, and so does a move into a backup; what a transfer replaces does not.
 */
export type DeleteBudget = ReturnType<typeof deleteBudget>;

/** A budget of `most` files and `bytes` bytes (`--max-delete`, `--max-delete-size`); -1: no limit. */
export function deleteBudget(most: number, bytes = -1) {
  let files = most < 0 ? Number.POSITIVE_INFINITY : most;
  let size = bytes < 0 ? Number.POSITIVE_INFINITY : bytes;
  let isFull: 'files' | 'size' = 'files';
  return {
    /**
     * Reserves the deletion of `wanted` files, of `sizes` bytes each (unknown: -1); returns how many of them, from the
     * first, may be deleted.
     */
    take(wanted: number, sizes: readonly number[] = []) {
      for (let taken = 0; taken < wanted; taken++) {
        const next = Math.max(0, sizes[taken] ?? 0);
        if (files >= 1 && next <= size) {
          files--;
          size -= next;
          continue;
        }
        isFull = files < 1 ? 'files' : 'size';
        // Nothing goes after it, not even a smaller file.
        if (isFull === 'size') size = -1;
        return taken;
      }
      return wanted;
    },
    /** The error of a run that would delete more: exit code 7. */
    error: () => tooManyDeletes(isFull === 'size' ? '--max-delete-size' : '--max-delete'),
  };
}

/** The error of a run whose deletions would exceed a limit. */
export function tooManyDeletes(flag: '--max-delete' | '--max-delete-size'): SyncerError {
  return new SyncerError('fatal', `${flag} threshold reached`);
}

/** Files up to this size, in bytes, are transferred many at a time. */
export const SMALL_TRANSFER = 128 * 1024;

/** What all processes of a run have copied together, for `--max-transfer`. */
export interface SharedTransfer {
  /** Whether a file of this size, in bytes, may be copied; `true` counts it as started. */
  take(bytes: number): Promise<boolean>;
  /** A started file of more than `SMALL_TRANSFER` bytes is copied. */
  through(bytes: number): void;
  /** Of a started file of unknown size this much is copied. */
  came(bytes: number): void;
}

/** The error of a run that would transfer more than `--max-transfer`: exit code 8. */
export function tooMuch(): SyncerError {
  return new SyncerError('max-transfer', 'max transfer limit reached as set by --max-transfer');
}

/** The error of a run that exceeded `--max-duration`: exit code 10. */
export function tooLong(): SyncerError {
  return new SyncerError('max-duration', 'max transfer duration reached as set by --max-duration');
}
