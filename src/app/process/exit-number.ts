import type { SyncerError } from '../../core/errors.ts';

/** The shell's status of a program that wrote to a closed pipe: 128 and the number of SIGPIPE. */
export const EXIT_CLOSED_PIPE = 141;

/** What decides the exit code. */
export interface Ending {
  /** The error of the command. */
  readonly thrown: SyncerError | undefined;
  /** The last counted error that no retry resolved. */
  readonly lastError: SyncerError | undefined;
  /** The signal that interrupted the run. */
  readonly interruption: SyncerError | undefined;
  /** The reader of standard output is gone. */
  readonly outputClosed: boolean;
}

/**
 * The exit code of the program: of a signal, or else of a closed output, or else of the error of the command, or else
 * of the last counted error, as in rclone.
 */
export function exitNumber(ending: Ending): number {
  if (ending.interruption !== undefined) return ending.interruption.exit;
  if (ending.outputClosed) return EXIT_CLOSED_PIPE;
  return (ending.thrown ?? ending.lastError)?.exit ?? 0;
}
