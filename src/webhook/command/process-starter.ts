import type { Readable } from 'node:stream';

/** A process to be started. Texts may hold any bytes, as `nameFromBytes` makes them. */
export interface StartPlan {
  /** Absolute, or with a `/` where the working directory is the server's. */
  readonly path: string;
  readonly argv: readonly string[];
  /** `NAME=value`, all of it. */
  readonly env: readonly string[];
  /** Empty: the server's. */
  readonly workingDirectory: string;
  /** A session, and so a group, of its own: all it starts can be killed with it. */
  readonly ownGroup: boolean;
  /** Its output, and when that ends, do not matter. */
  readonly outputUnwanted: boolean;
}

/** How a process ended: with a code or by a signal. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A process that runs. */
export interface StartedProcess {
  readonly pid: number;
  /** Its output; they end when the last writer has closed them. */
  readonly outputs: readonly Readable[];
  readonly ended: Promise<ProcessEnd>;
}

/** Starts processes with standard input from `/dev/null`. */
export interface ProcessStarter {
  /** Rejects with an error whose `code` is that of the system, or whose message names the step that failed. */
  start(plan: StartPlan): Promise<StartedProcess>;
  /** Number of queued starts. */
  readonly backlog: number;
  /** Resolves when another start can be queued; `undefined` if it can now. */
  room(): Promise<void> | undefined;
}

const NAMES: Readonly<Record<string, string>> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGQUIT: 'quit',
  SIGILL: 'illegal instruction',
  SIGTRAP: 'trace/breakpoint trap',
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGKILL: 'killed',
  SIGUSR1: 'user defined signal 1',
  SIGSEGV: 'segmentation fault',
  SIGUSR2: 'user defined signal 2',
  SIGPIPE: 'broken pipe',
  SIGALRM: 'alarm clock',
  SIGTERM: 'terminated',
};

/** A signal as Go names it. */
export function goSignal(signal: NodeJS.Signals): string {
  return NAMES[signal] ?? signal.toLowerCase();
}
