import type { LogRecord } from '../../shell/log/log-record.ts';
import type { ProgressData } from './progress-data.ts';

/** What is said on the socket of a run, by version: a run of another version is not steered. */
export const RUN_PROTOCOL = 1;

/** JSON, one value a line. Every request is answered once, with its number. */
export type RunQuestion =
  /** Gives `RunStatus`. */
  | { readonly ask: 'state' }
  /** States, and lines of the log, come as events from now on. Gives `RunStatus`. */
  | { readonly ask: 'watch' }
  /** Nothing new begins, and no bytes pass, until `resume`. Gives `RunStatus`; so do those below. */
  | { readonly ask: 'pause' }
  | { readonly ask: 'resume' }
  /** Ends it after its current files; `now`: as Ctrl-C does. */
  | { readonly ask: 'stop'; readonly now?: boolean }
  | {
      readonly ask: 'set';
      readonly transfers?: number;
      /** In bytes a second. */
      readonly bwlimit?: number | 'off';
    };

/** What comes without a question. */
export type RunNews =
  /** The first line of a connection. */
  | {
      readonly event: 'hello';
      readonly protocol: number;
      readonly version: string;
      readonly run: string;
    }
  | { readonly event: 'state'; readonly state: RunStatus }
  | { readonly event: 'log'; readonly line: SentLine }
  /** A request waits before it is repeated. */
  | { readonly event: 'wait'; readonly wait: WaitNote }
  /** The run is over, with this exit code. */
  | { readonly event: 'end'; readonly exit: number };

/** A line of the log, without secrets. */
export type SentLine = Pick<LogRecord, 'level' | 'path' | 'message'>;

/** A server that asked to slow down, or a request that is repeated. */
export interface WaitNote {
  readonly why: 'throttled' | 'retry';
  readonly ms: number;
  readonly what: string;
  readonly cause?: string;
}

/** How far a run is. */
export interface RunStatus {
  /** The run's clock, in milliseconds. */
  readonly nowMs: number;
  readonly progress: ProgressData;
  /** It can be paused, and its transfers and bandwidth changed. */
  readonly canSteer: boolean;
  readonly isPaused: boolean;
  readonly isStopping: boolean;
  /** Transfers at once; 0 while that is unknown. */
  readonly transfers: number;
  /** In bytes a second, where there is one. */
  readonly bwlimit?: number | 'off';
}
