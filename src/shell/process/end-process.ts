import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SyncerError } from '../../core/errors.ts';
import { nameToBytes } from '../../core/name-bytes.ts';
import { harmlessLines } from '../../core/shown-text.ts';
import { loadLibc } from '../../system/libc.ts';
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

/** Resolves when a slow reader has taken all of a stream or is gone, or at an interruption: `exit` drops what waits. */
export function taken(
  stream: Pick<NodeJS.WriteStream, 'writableLength' | 'write'>,
  interruption: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writableLength === 0 || interruption.aborted) return resolve();
    stream.write('', () => resolve());
    interruption.addEventListener('abort', () => resolve(), { once: true });
  });
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

/**
 * Ends an interrupted process with this exit code, also if threads are stuck in calls of the system, such as a write to
 * a pipe without a reader or the look-up of a host: Node waits for them. Without the C library the signal ends it.
 *
 * @param waitMs how long it waits for the calls, in milliseconds
 */
export async function endInterrupted(
  process: NodeJS.Process,
  code: number,
  waitMs: number,
  load = loadLibc,
): Promise<void> {
  const isStuck = () => process.getActiveResourcesInfo().some((name) => /Req/.test(name));
  for (let waited = 0; isStuck() && waited < waitMs; waited += LOOK_MS) await sleep(LOOK_MS);
  if (isStuck()) process.on('exit', await instantEnd(process, code, load));
  endProcess(process, code);
}

/** Ends the process without waiting for its threads; listeners for its exit must have run. */
async function instantEnd(process: NodeJS.Process, code: number, load: typeof loadLibc) {
  try {
    const exit = (await load()).func('_exit', 'int', ['int']);
    return () => void exit(code);
  } catch {
    const signal = code === 130 ? 'SIGINT' : 'SIGTERM';
    return () => {
      process.removeAllListeners(signal);
      process.kill(process.pid, signal);
    };
  }
}

/** Between looks at what is still going on, in milliseconds. */
const LOOK_MS = 20;

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
