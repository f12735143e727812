import type { HttpChoices } from './http-choices.ts';
import { HttpClient } from './http-client.ts';

/** How a program talks to the network; from the global flags. */
export interface NetworkOptions {
  /** How long a connection may send and receive nothing, in milliseconds; 0 for ever (`--timeout`). */
  readonly timeoutMs: number;
  /** How long connecting may take, in milliseconds (`--contimeout`). */
  readonly connectTimeoutMs: number;
  /** PEM of further certificate authorities (`--ca-cert`), as text. */
  readonly caCertificates?: string;
  /** `--no-check-certificate`. */
  readonly insecureTls: boolean;
  /** What an HTTP client is opened with besides: headers, certificates, a trace. */
  readonly http?: HttpChoices;
  /** The environment, for proxies and credential chains. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The HTTP client that the flags of a run ask for: the one way to open it, so that every flag acts for whoever does.
 *
 * @param clock one that never goes back, in milliseconds
 */
export function httpClientFor(
  network: NetworkOptions,
  clock: { readonly monotonic: () => number },
): HttpClient {
  const { caCertificates, insecureTls, env } = network;
  return new HttpClient({
    ...network.http,
    limits: { connectMs: network.connectTimeoutMs, idleMs: network.timeoutMs },
    ...(caCertificates === undefined ? {} : { caCertificates }),
    insecureTls,
    env,
    monotonic: () => clock.monotonic(),
  });
}
