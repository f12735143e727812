import { isIP } from 'node:net';
import { connect, type PeerCertificate } from 'node:tls';
import type { Clock } from '../core/context.ts';
import { toSyncerError } from '../core/errors.ts';
import { HttpClient } from '../http/http-client.ts';
import { type Origin, originOf } from '../http/http-request.ts';
import type { TransportOptions } from '../http/network-options.ts';
import { type ProxyServer, proxyFor } from '../http/proxy.ts';
import { type CheckResult, failed, ok, unknown, warning } from './check.ts';
import { mendRemote } from './mend-remote.ts';

/** The connection to check, and for whom. */
export interface CheckedConnection {
  readonly url: string;
  /** The name of the remote in the configuration; `''` for a connection string. */
  readonly remote: string;
  readonly transport: TransportOptions;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const DAY_MS = 86_400_000;
const SOON_MS = 14 * DAY_MS;
/** Larger differences between two clocks are worth a warning, in milliseconds. */
const SKEW_MS = 60_000;
/** S3 refuses requests whose time differs by more than this, in milliseconds (RequestTimeTooSkewed). */
const MOST_SKEW_MS = 15 * 60_000;

/** The checks of the way to a service: proxy, connection, certificate, clock. */
export async function* connectionChecks(place: CheckedConnection): AsyncGenerator<CheckResult> {
  const { transport, remote, clock, signal } = place;
  const url = new URL(place.url);
  const origin = originOf(url);
  const http = new HttpClient(transport, clock);
  try {
    const proxy = transport.http?.proxy ?? proxyFor(origin, transport.env);
    yield ok('proxy', proxy === undefined ? 'none' : proxyText(proxy));
    const headers = { host: origin.host, 'user-agent': transport.userAgent };
    const request = { method: 'HEAD', origin, target: url.pathname || '/', headers };
    const answer = await http.send({ ...request, body: undefined, asksFirst: false }, signal);
    answer.read({ data: () => true, end: () => {}, broken: () => {} });
    yield ok('connection', `${origin.secure ? 'TLS' : 'plain HTTP'} to ${origin.host}`);
    if (origin.secure && proxy === undefined) {
      yield certificateCheck(await certificateOf(origin, signal), clock.now());
    }
    yield clockCheck(answer.headers['date'], clock.now());
  } catch (thrown) {
    signal.throwIfAborted();
    yield failed('connection', toSyncerError(thrown).message, mendRemote(thrown, remote));
  } finally {
    http.close();
  }
}

function proxyText({ hostname, port, socks, secure }: ProxyServer): string {
  const scheme = socks === true ? 'socks5' : secure ? 'https' : 'http';
  return `${scheme}://${hostname}:${port}`;
}

/** The certificate of a server, whether it is trusted or not; the request before has verified it. */
function certificateOf(
  { hostname, port }: Origin,
  signal: AbortSignal,
): Promise<PeerCertificate | undefined> {
  return new Promise((resolve, reject) => {
    const servername = isIP(hostname) === 0 ? hostname : '';
    const options = { host: hostname, port, servername, rejectUnauthorized: false };
    const socket = connect(options, () => {
      resolve(socket.getPeerCertificate());
      socket.destroy();
    });
    const stop = () => socket.destroy(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    socket.on('error', () => resolve(undefined));
    socket.on('close', () => {
      signal.removeEventListener('abort', stop);
      if (signal.aborted) reject(signal.reason);
      resolve(undefined);
    });
  });
}

/** When a certificate ends. */
export function certificateCheck(
  certificate: Pick<PeerCertificate, 'valid_to'> | undefined,
  nowMs: number,
): CheckResult {
  const check = 'certificate';
  const endMs = Date.parse(certificate?.valid_to ?? '');
  if (Number.isNaN(endMs)) return unknown(check, 'the server did not show it again');
  const day = new Date(endMs).toISOString().slice(0, 10);
  if (endMs <= nowMs) return failed(check, `ended on ${day}: its owner must renew it`);
  const text = `valid until ${day}`;
  return endMs - nowMs < SOON_MS
    ? warning(check, `${text}: its owner must renew it`)
    : ok(check, text);
}

/** How much the clocks of this machine and of the server differ. */
export function clockCheck(date: string | undefined, nowMs: number): CheckResult {
  const toldMs = Date.parse(date ?? '');
  if (Number.isNaN(toldMs)) return unknown('clock', 'the server does not show its time');
  const skew = nowMs - toldMs;
  const size = Math.abs(skew);
  if (size < SKEW_MS) return ok('clock', "agrees with the server's");
  const minutes = Math.round(size / 60_000);
  const text = `${minutes} min ${skew > 0 ? 'ahead of' : 'behind'} the server's`;
  const mend = 'sudo timedatectl set-ntp true';
  return size < MOST_SKEW_MS ? warning('clock', text, mend) : failed('clock', text, mend);
}
