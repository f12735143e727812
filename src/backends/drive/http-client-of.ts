import { HttpClient } from '../../http/http-client.ts';
import type { OpenParams } from '../backend.ts';

/** The HTTP client that the flags of a run ask for. */
export function httpClientOf({ context, transport }: OpenParams): HttpClient {
  const { caCertificates } = transport;
  return new HttpClient({
    ...transport.http,
    limits: { connectMs: transport.connectTimeoutMs, idleMs: transport.timeoutMs },
    ...(caCertificates === undefined ? {} : { caCertificates }),
    insecureTls: transport.insecureTls,
    env: transport.env,
    monotonic: context.clock.monotonic,
  });
}
