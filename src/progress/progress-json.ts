import { elapsedMs } from './hold-clock.ts';
import { type ProgressState, totalBytes, totalChecks, totalTransfers } from './progress-state.ts';
import { currentRate, runSecondsLeft, secondsLeft } from './transfer-rate.ts';

/** The statistics as data, under the names rclone gives them in its JSON log; times in seconds. */
export function progressJson(state: ProgressState, nowMs: number): Record<string, unknown> {
  const total = totalBytes(state);
  const speed = currentRate(state, nowMs);
  const active = [...state.active.values()];
  const checking = active.filter(({ kind }) => kind === 'check').map(({ path }) => path);
  const transferring = active.filter(({ kind }) => kind !== 'check');
  return {
    bytes: state.bytes,
    ...(checking.length > 0 ? { checking } : {}),
    checks: state.checks,
    deletedDirs: state.deletedDirs,
    deletes: state.deletedFiles,
    elapsedTime: elapsedMs(state, nowMs) / 1000,
    errors: state.errors,
    eta: runSecondsLeft(state, nowMs) ?? null,
    fatalError: state.fatalError,
    ...(state.lastError === undefined ? {} : { lastError: state.lastError.message }),
    listed: state.listed,
    renames: state.renames,
    retryError: state.retryError,
    serverSideCopies: state.serverCopies,
    serverSideCopyBytes: state.serverCopyBytes,
    serverSideMoveBytes: state.serverMoveBytes,
    serverSideMoves: state.serverMoves,
    speed,
    totalBytes: total,
    totalChecks: totalChecks(state),
    totalTransfers: totalTransfers(state),
    ...(transferring.length > 0
      ? {
          transferring: transferring.map(({ path, bytes, size, rate }) => ({
            bytes,
            eta: secondsLeft(bytes, size, rate) ?? null,
            name: path,
            percentage: size > 0 ? Math.trunc((100 * bytes) / size) : 0,
            size,
            speedAvg: rate,
          })),
        }
      : {}),
    transfers: state.transfers,
  };
}
