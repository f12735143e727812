import type { SyncerError } from '../../core/errors.ts';

/** What the shell reports of a program that wrote to a closed pipe: 128 and the number of SIGPIPE. */
export const EXIT_CLOSED_PIPE = 141;

/** What decides the exit number. */
export interface Ending {
  /** What the command ended with. */
  readonly thrown: SyncerError | undefined;
  /** The last error that was counted and not made good by another try. */
  readonly lastError: SyncerError | undefined;
  /** Why the run was cut off, where it was. */
  readonly interruption: SyncerError | undefined;
  /** The reader of standard output has gone. */
  readonly outputClosed: boolean;
}

/**
 * The exit number of the program. A signal decides first; then a closed output, which ends a program without a
 * word; then the error the command ended with; then the last one that was counted, as in rclone.
 */
export function exitNumber(ending: Ending): number {
  if (ending.interruption !== undefined) return ending.interruption.exit;
  if (ending.outputClosed) return EXIT_CLOSED_PIPE;
  return (ending.thrown ?? ending.lastError)?.exit ?? 0;
}
