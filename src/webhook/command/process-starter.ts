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
  /** Nobody wants what it writes, or when the last one that could write is gone. */
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
  /** What it writes; they end when nobody can write any more. */
  readonly outputs: readonly Readable[];
  readonly ended: Promise<ProcessEnd>;
}

/** Starts processes with standard input from `/dev/null`. */
export interface ProcessStarter {
  /** Rejects with an error whose `code` is that of the system. */
  start(plan: StartPlan): Promise<StartedProcess>;
  /** How many starts wait. */
  readonly backlog: number;
  /** Resolves when not too many starts wait for another to be asked for; `undefined` where that is so now. */
  room(): Promise<void> | undefined;
}
