import { SyncerError } from '../core/errors.ts';
import type { FileEntry } from '../core/remote.ts';
import type { ErrorTally } from './error-tally.ts';
import type { LimitOptions } from './sync-option-parts.ts';

/** Files up to this size, in bytes, are transferred many at a time. */
export const SMALL_TRANSFER = 128 * 1024;

/** What all processes of a run have copied together, for `--max-transfer`. */
export interface SharedTransfer {
  /** Whether a file of this size, in bytes, may be copied; `true` counts it as started. */
  take(bytes: number): Promise<boolean>;
  /** A started file of more than `SMALL_TRANSFER` bytes is copied. */
  through(bytes: number): void;
  /** So much more than its size was copied of a started file, or less if negative. */
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

/** What a limit needs of its run. */
interface Limited {
  readonly tally: ErrorTally;
  readonly sharedTransfer?: SharedTransfer;
}

/** Enforces `--max-transfer`. */
export interface TransferLimit {
  /** Whether another file may begin. */
  mayStart(): boolean;
  /** Whether a file of `size` bytes may be copied; `true` counts it as started, `false` reports its path. */
  mayCopy(path: string, size: number): boolean | Promise<boolean>;
  /** A started file has ended: what of it was not sent does not count, and its true size does if that was unknown or 0. */
  copied(size: number, written: FileEntry): void;
}

/**
 * The limit of an attempt; `undefined` without one. Once it is reached nothing more starts, running transfers are
 * finished, and the run ends with exit code 8. `soft` starts files until that many bytes are transferred, counting small
 * files from their start; `hard` never starts a file that would exceed the limit, `cautious` none that would reach it. Server-side moves
 * are no transfers, as in rclone.
 */
export function createTransferLimit(
  run: Limited,
  options: LimitOptions,
): TransferLimit | undefined {
  const { maxTransfer, cutoffMode } = options;
  const { sharedTransfer: shared } = run;
  let begun = 0;
  let through = 0;
  let reached = false;
  if (shared === undefined && maxTransfer < 0) return undefined;
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
    mayStart: () => !reached,
    mayCopy(path, size) {
      if (reached) return false;
      const bytes = Math.max(0, size);
      if (shared !== undefined) {
        return shared.take(bytes).then((may) => may || end(tooMuch(), path));
      }
      if (!fits(bytes)) return end(tooMuch(), path);
      begun += bytes;
      if (bytes <= SMALL_TRANSFER) through += bytes;
      return true;
    },
    copied(size, { size: written, sent = written }) {
      const more = sent - Math.max(0, size);
      if (sent < written || (size <= 0 && written > 0)) {
        begun += more;
        through += more;
        shared?.came(more);
        // Others may have started with it.
        const mayEnd = shared === undefined && cutoffMode !== 'soft';
        if (mayEnd && !reached && begun > maxTransfer) end(tooMuch());
      }
      if (size <= SMALL_TRANSFER) return;
      through += size;
      shared?.through(size);
    },
  };
}
