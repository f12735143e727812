import { SyncerError } from '../core/errors.ts';

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
