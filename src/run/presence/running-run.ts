import type { RunEntry } from '../../state/runs.ts';

/** A run that goes on, as the home screen and `syncer ps` show it. */
export interface RunningSummary
  extends Pick<RunEntry, 'id' | 'words' | 'program' | 'dir' | 'pid' | 'startedMs'> {
  /** The name of its user, if those of several are listed. */
  readonly user?: string;
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
