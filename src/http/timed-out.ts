import { SyncerError } from '../core/errors.ts';
import type { Origin } from './http-request.ts';

/** No connection came about in time (`timed-out`). */
export function noConnection({ host }: Origin, ms: number): SyncerError {
  const advice = 'check the endpoint, or wait longer with --contimeout';
  return new SyncerError('timed-out', `no connection to ${host} within ${ms / 1000} s`, { advice });
}

/** The server fell silent (`timed-out`). */
export function noData({ host }: Origin, ms: number): SyncerError {
  const advice = 'check the endpoint, or wait longer with --timeout';
  return new SyncerError('timed-out', `no data from ${host} within ${ms / 1000} s`, { advice });
}
