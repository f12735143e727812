import { type RemoteFault, SyncerError } from '../../core/errors.ts';
import { NotHttp } from './answer-parser.ts';
import type { Origin } from './http-request.ts';
import { certificateFault, errorCode, networkText, settingOf } from './network-text.ts';

/**
 * A connection that was used before, and ended without a response: as a rule the server closed it while it was idle and
 * the request never arrived, so it is sent again immediately.
 */
export class StaleConnection extends SyncerError {}

/** Node's error of a failed connection, as a `SyncerError` with advice. */
export function connectionError(error: Error, { host }: Origin, reused: boolean): SyncerError {
  if (error instanceof SyncerError) return error;
  const code = errorCode(error);
  const certificate = certificateFault(code);
  if (certificate !== undefined) {
    const { why, advice, fault, isOwn } = certificate;
    const text = isOwn
      ? `cannot connect to ${host}: ${why}; ${advice}`
      : `cannot trust ${host}: ${why}; ${advice}, or skip the check with --no-check-certificate`;
    return new SyncerError('bad-answer', text, { cause: error, fault });
  }
  if (/^ERR_SSL|^EPROTO/.test(code)) {
    const text = `${host} does not speak TLS; try endpoint = http://${host}`;
    return new SyncerError('bad-answer', text, { cause: error, fault: 'protocol' });
  }
  if (error instanceof NotHttp) {
    const text = `${host} does not speak HTTP: ${error.message}`;
    return new SyncerError('bad-answer', text, { cause: error, fault: 'protocol' });
  }
  if (reused && (code === 'ECONNRESET' || code === 'EPIPE')) {
    return new StaleConnection('network', `${host} closed the connection`, { cause: error });
  }
  const text = networkText(code, host, error);
  return new SyncerError('network', text, { cause: error, fault: FAULTS[code] });
}

const FAULTS: Readonly<Record<string, RemoteFault>> = {
  ECONNREFUSED: 'connection',
  EHOSTUNREACH: 'connection',
  ENETUNREACH: 'connection',
  ETIMEDOUT: 'connection',
  ENOTFOUND: 'host-name',
  EAI_AGAIN: 'host-name',
};

/** No connection, or no data, in time (`timed-out`). */
export function tooLate(what: 'connection to' | 'data from', { host }: Origin, ms: number) {
  const flag = what === 'data from' ? '--timeout' : '--contimeout';
  const advice = `check ${settingOf(host)}, or wait longer with ${flag}`;
  return new SyncerError('timed-out', `no ${what} ${host} within ${ms / 1000} s`, { advice });
}
