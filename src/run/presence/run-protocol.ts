import { type ErrorCode, SyncerError } from '../../core/errors.ts';
import type { LogRecord } from '../../shell/log/log-record.ts';
import type { Failure } from '../../shell/progress/failures.ts';
import type { ActiveTransfer, ProgressState } from '../../shell/progress/progress-state.ts';

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
type SentLine = Pick<LogRecord, 'level' | 'path' | 'message' | 'lines'>;

/** A server that asked to slow down, or a request that is repeated. */
export interface WaitNote {
  readonly why: 'throttled' | 'retry';
  readonly ms: number;
  readonly what: string;
  readonly cause?: string;
}

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

/** The state of a run as JSON can hold it. */
export interface ProgressData
  extends Omit<ProgressState, 'active' | 'counted' | 'failures' | 'lastError' | 'heldSinceMs'> {
  readonly heldSinceMs?: number;
  readonly active: readonly ActiveTransfer[];
  readonly failures: readonly Failure[];
  readonly lastError?: { readonly code: ErrorCode; readonly message: string };
}

/** Paths that are sent of errors with one cause. */
const SENT_PATHS = 20;

/** The state of a run as data. @param hide takes secrets out of a text */
export function progressData(state: ProgressState, hide: (text: string) => string): ProgressData {
  const { active, counted: _, failures, lastError, heldSinceMs, ...numbers } = state;
  return {
    ...numbers,
    ...(heldSinceMs === undefined ? {} : { heldSinceMs }),
    active: [...active.values()],
    failures: [...failures.byCause.values()].map(({ cause, count, paths }) => {
      return { cause: hide(cause), count, paths: paths.slice(0, SENT_PATHS) };
    }),
    ...(lastError === undefined
      ? {}
      : { lastError: { code: lastError.code, message: hide(lastError.message) } }),
  };
}

/**
 * Brings a state up to date with the data of another process.
 *
 * @param shiftMs what the clock here is ahead of the clock there, in milliseconds
 */
export function takeProgress(state: ProgressState, data: ProgressData, shiftMs: number): void {
  const { active, failures, lastError, heldSinceMs, ...numbers } = data;
  Object.assign(state, numbers, {
    startedMs: data.startedMs + shiftMs,
    tickMs: data.tickMs + shiftMs,
    heldSinceMs: heldSinceMs === undefined ? undefined : heldSinceMs + shiftMs,
    lastError: lastError && new SyncerError(lastError.code, lastError.message),
  });
  state.active.clear();
  for (const transfer of active) state.active.set(transfer.id, { ...transfer });
  state.failures.clear();
  for (const failure of failures) {
    state.failures.byCause.set(failure.cause, { ...failure, paths: [...failure.paths] });
    state.failures.last = state.failures.byCause.get(failure.cause);
  }
}
