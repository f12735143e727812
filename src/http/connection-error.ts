import { type RemoteFault, SyncerError } from '../core/errors.ts';
import { NotHttp } from './answer-head.ts';
import type { Origin } from './http-request.ts';

/**
 * A connection that the server closed while it was idle: the request never arrived, so it is sent again immediately.
 */
export class StaleConnection extends SyncerError {}

const TLS_REASONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate comes from an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate comes from an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate comes from an unknown authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: "its certificate is not valid yet (is this machine's clock right?)",
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** Whether the certificate was refused because no trusted authority has signed it. */
export function isUnknownAuthority(error: unknown): boolean {
  const code = errorCode((error as Error | undefined)?.cause ?? error);
  return TLS_REASONS[code]?.includes('authority') === true || code.startsWith('DEPTH_ZERO');
}

/** Node's error of a failed connection, as a `SyncerError` with advice. */
export function connectionError(error: Error, { host }: Origin, reused: boolean): SyncerError {
  if (error instanceof SyncerError) return error;
  const code = errorCode(error);
  const details = { cause: error };
  const tlsReason = TLS_REASONS[code];
  if (tlsReason !== undefined) {
    return new SyncerError(
      'bad-answer',
      `cannot trust ${host}: ${tlsReason}; add its authority with --ca-cert, or skip the check with --no-check-certificate`,
      { ...details, fault: 'certificate' },
    );
  }
  if (/^ERR_SSL|^EPROTO/.test(code)) {
    const hint = `try endpoint = http://${host}`;
    return new SyncerError('bad-answer', `${host} does not speak TLS; ${hint}`, {
      ...details,
      fault: 'protocol',
    });
  }
  if (error instanceof NotHttp) {
    return new SyncerError('bad-answer', `${host} does not speak HTTP: ${error.message}`, {
      ...details,
      fault: 'protocol',
    });
  }
  if (reused && (code === 'ECONNRESET' || code === 'EPIPE')) {
    return new StaleConnection('network', `${host} closed the connection`, details);
  }
  return new SyncerError('network', networkText(code, host, error), {
    ...details,
    fault: FAULTS[code],
  });
}

const FAULTS: Readonly<Record<string, RemoteFault>> = {
  ECONNREFUSED: 'connection',
  EHOSTUNREACH: 'connection',
  ENETUNREACH: 'connection',
  ETIMEDOUT: 'connection',
  ENOTFOUND: 'host-name',
  EAI_AGAIN: 'host-name',
};

function networkText(code: string, host: string, error: Error): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `cannot connect to ${host} (connection refused); check the endpoint`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `cannot resolve host ${host}; check the name and your network`;
    case 'ECONNRESET':
    case 'EPIPE':
      return `${host} reset the connection`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `no route to ${host}; check the network`;
    case 'ETIMEDOUT':
      return `connecting to ${host} timed out`;
    default:
      return `connection to ${host} failed: ${error.message || code}`;
  }
}

/** The error's code; of several addresses that were tried, that of the first. */
function errorCode(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly { code?: unknown }[] };
  const first = code ?? errors?.[0]?.code;
  return typeof first === 'string' ? first : '';
}

/** No connection in time (`timed-out`). */
export function noConnection({ host }: Origin, ms: number): SyncerError {
  const advice = 'check the endpoint, or wait longer with --contimeout';
  return new SyncerError('timed-out', `no connection to ${host} within ${ms / 1000} s`, { advice });
}

/** No data in time (`timed-out`). */
export function noData({ host }: Origin, ms: number): SyncerError {
  const advice = 'check the endpoint, or wait longer with --timeout';
  return new SyncerError('timed-out', `no data from ${host} within ${ms / 1000} s`, { advice });
}
