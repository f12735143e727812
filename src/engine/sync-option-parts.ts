import type { SyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';

/** When `sync` deletes extra files. */
export type DeleteMode = 'off' | 'before' | 'during' | 'after';

/** What a run has found when it is about to delete extra files. */
export interface DeleteTotals {
  readonly sourceFiles: number;
  readonly destFiles: number;
  /** How many files would be deleted, and at least some of them. */
  readonly extra: number;
  readonly examples: readonly Pick<FileEntry, 'path'>[];
  /** Others were deleted before: there are more than was known then. */
  readonly isLate?: true;
}

/** Called once before the first deletion; with an error, which ends the run, nothing is deleted. */
export type DeleteCheck = (totals: DeleteTotals) => SyncerError | undefined;

/** What happens to running transfers when `--max-transfer` or `--max-duration` is reached. */
export type CutoffMode = 'hard' | 'soft' | 'cautious';

/** Which numbers of parallel tasks may adapt during a run. */
export interface Adapts {
  readonly transfers: boolean;
  /** Transfers at the start if the program had to wait for listings; absent: the same number as otherwise. */
  readonly far?: number | undefined;
  readonly checkers: boolean;
}

/** How pairs are compared; the flags' meaning is rclone's. */
export interface CompareOptions {
  readonly checksum: boolean;
  readonly sizeOnly: boolean;
  readonly ignoreTimes: boolean;
  readonly ignoreSize: boolean;
  readonly ignoreExisting: boolean;
  readonly update: boolean;
  readonly immutable: boolean;
  readonly noUpdateModTime: boolean;
  readonly noUpdateDirModTime: boolean;
  /** Files of equal size without a common hash are the same: only the time is set (`--refresh-times`). */
  readonly refreshTimes: boolean;
  /** Times nearer than this are equal, in nanoseconds; at least 1. */
  readonly modifyWindowNs: bigint;
  /**
   * What is equal is deleted at the source: files whose listed hashes differ are not equal, whatever their times, and
   * with `--checksum` files without a common hash are equal only if their times are.
   */
  readonly deletesSource?: boolean;
}
