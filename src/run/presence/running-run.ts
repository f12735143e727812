/** A run that goes on, as the home screen and `syncer ps` show it. */
export interface RunningSummary {
  /** See `newRunId`. */
  readonly id: string;
  /** The command line without secrets, the program included if it is not syncer. */
  readonly words: readonly string[];
  readonly program?: string;
  /** The name of its user, if those of several are listed. */
  readonly user?: string;
  /** The working directory, for local paths among the words. */
  readonly dir: string;
  readonly pid: number;
  /** When it began, in milliseconds since the epoch. */
  readonly startedMs: number;
  /** `waiting`: for an answer at its terminal; `silent`: it does not answer, or another version of the program does. */
  readonly state: 'running' | 'waiting' | 'paused' | 'stopping' | 'silent';
  /** What a hook server does: `2 running, 1 waiting`. */
  readonly about?: string;
  /** How far it is; absent if it is silent, and of a hook server. */
  readonly far?: RunningProgress;
}

/** How far a run is. */
export interface RunningProgress {
  readonly bytes: number;
  readonly totalBytes: number;
  /** Bytes a second. */
  readonly rate: number;
  readonly files: number;
  readonly totalFiles: number;
  readonly checks: number;
  readonly totalChecks: number;
  readonly deleted: number;
  readonly errors: number;
  /** Whole seconds until its end, where that is known. */
  readonly secondsLeft?: number;
}
