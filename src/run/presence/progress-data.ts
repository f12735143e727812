import { type ErrorCode, SyncerError } from '../../core/errors.ts';
import type { Failure } from '../../shell/progress/failures.ts';
import type { ActiveTransfer, ProgressState } from '../../shell/progress/progress-state.ts';

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
