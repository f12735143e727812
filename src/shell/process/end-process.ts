import { writeSync } from 'node:fs';
import type { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { harmlessLines } from '../../core/shown-text.ts';
import { KnownSecrets } from '../log/known-secrets.ts';
import { causesOf } from '../log/log-record.ts';

/** The shell's status of a program that wrote to a closed pipe: 128 and the number of SIGPIPE. */
const EXIT_CLOSED_PIPE = 141;

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

/** Ends the process with this exit code. */
export function endProcess(process: NodeJS.Process, code: number): void {
  if (code === EXIT_CLOSED_PIPE) endByClosedPipe(process);
  else process.exit(code);
}

/**
 * Ends a process whose reader is gone as other programs end: killed by SIGPIPE. Node ignores the signal; adding and
 * removing a listener restores the system's default.
 */
export function endByClosedPipe(process: NodeJS.Process): void {
  const listener = () => {};
  process.on('SIGPIPE', listener);
  process.off('SIGPIPE', listener);
  process.kill(process.pid, 'SIGPIPE');
  process.exit(EXIT_CLOSED_PIPE);
}

/** The report of a crash: stacks of the error and its causes, not the values they carry. */
export function crashText(thrown: unknown, secrets: KnownSecrets): string {
  const text =
    thrown instanceof Error
      ? [thrown.stack ?? thrown.message, ...causesOf(thrown)].join('\n  cause: ')
      : String(thrown);
  return `${harmlessLines(secrets.hide(text))}\n`;
}

/** Ends the process after a crash, with exit code 1. */
export function tellCrash(thrown: unknown): void {
  try {
    writeSync(
      2,
      nameToBytes(crashText(thrown, new KnownSecrets(process.argv.slice(2), process.env))),
    );
  } finally {
    process.exit(1);
  }
}
