import { type RemoteFault, SyncerError } from '../../core/errors.ts';
import { NotHttp } from './answer-parser.ts';
import type { Origin } from './http-request.ts';

/** A used connection that ended without a response: as a rule the request never arrived, so it is sent again. */
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
  const failed = (text: string, fault?: RemoteFault) =>
    new SyncerError('network', text, { cause: error, fault });
  if ((error as NodeJS.ErrnoException).syscall === 'bind') {
    return failed(`cannot use the local address of --bind: ${error.message}`);
  }
  switch (code) {
    case 'ECONNREFUSED': {
      const text = `cannot connect to ${host} (connection refused); check ${settingOf(host)}`;
      return failed(text, 'connection');
    }
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return failed(`cannot resolve host ${host}; check the name and your network`, 'host-name');
    case 'ECONNRESET':
    case 'EPIPE':
      return failed(`${host} reset the connection`);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return failed(`no route to ${host}; check the network`, 'connection');
    case 'ETIMEDOUT':
      return failed(`connecting to ${host} timed out`, 'connection');
    default:
      return failed(`connection to ${host} failed: ${error.message || code}`);
  }
}

/** No connection, or no data, in time (`timed-out`). */
export function tooLate(what: 'connection to' | 'data from', { host }: Origin, ms: number) {
  const flag = what === 'data from' ? '--timeout' : '--contimeout';
  const advice = `check ${settingOf(host)}, or wait longer with ${flag}`;
  return new SyncerError('timed-out', `no ${what} ${host} within ${ms / 1000} s`, { advice });
}

/** What is wrong with certificates, and what to do about it. */
interface CertificateFault {
  readonly why: string;
  readonly advice: string;
  readonly fault: RemoteFault;
  /** It is the client certificate, and not that of the server. */
  readonly isOwn?: boolean;
}

const UNKNOWN_AUTHORITY: CertificateFault = {
  why: 'its certificate comes from an unknown authority',
  advice: 'add its authority with --ca-cert',
  fault: 'authority',
};

const CERTIFICATE_FAULTS: Readonly<Record<string, CertificateFault>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: { ...UNKNOWN_AUTHORITY, why: 'its certificate is self-signed' },
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  CERT_HAS_EXPIRED: {
    why: 'its certificate has expired',
    advice: 'renew it on the server',
    fault: 'certificate',
  },
  CERT_NOT_YET_VALID: {
    why: 'its certificate is not valid yet',
    advice: "check this machine's clock",
    fault: 'clock',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    why: 'its certificate is for another host',
    advice: 'write the host name that the certificate has',
    fault: 'certificate',
  },
};

/** Faults that the server reports, by the end of the code. */
const ALERTS: readonly (readonly [RegExp, CertificateFault])[] = [
  [
    /ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)$/,
    {
      why: 'it refuses the connection, as servers do that require a client certificate',
      advice: 'pass it with --client-cert and --client-key',
      fault: 'certificate',
      isOwn: true,
    },
  ],
  [
    /ALERT_(\w+_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA)$/,
    {
      why: 'it refuses the client certificate',
      advice: 'check the file of --client-cert',
      fault: 'certificate',
      isOwn: true,
    },
  ],
];

/** What is wrong with the certificate of a server or the client, by the code of the error; `undefined`: nothing. */
export function certificateFault(code: string): CertificateFault | undefined {
  return CERTIFICATE_FAULTS[code] ?? ALERTS.find(([pattern]) => pattern.test(code))?.[1];
}

/** The setting that leads to a host; that of a proxy is shown as `proxy host:port`. */
function settingOf(host: string): string {
  return host.startsWith('proxy ') ? '--http-proxy, HTTP_PROXY and HTTPS_PROXY' : 'the endpoint';
}

/** The error's code; of several addresses that were tried, that of the first. */
export function errorCode(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: readonly { code?: unknown }[] };
  const first = code ?? errors?.[0]?.code;
  return typeof first === 'string' ? first : '';
}
