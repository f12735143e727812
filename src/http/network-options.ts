import type { HttpTrace } from './http-trace.ts';

/** The user's settings for every HTTP request and every connection. */
export interface HttpChoices {
  /** Sent with every request; names in lower case (`--header`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** The client certificate, in PEM (`--client-cert`, `--client-key`). */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** The local address of connections (`--bind`). */
  readonly localAddress?: string;
  /** Each connection is used for one request only (`--disable-http-keep-alives`). */
  readonly singleUse?: boolean;
  /** How long to wait for 100 Continue, in milliseconds (`--expect-continue-timeout`). */
  readonly agreeMs?: number;
  readonly trace?: HttpTrace;
}

/** How a program uses the network; from the global flags. */
export interface NetworkOptions {
  /** How long a connection may be idle, in milliseconds; 0: no limit (`--timeout`). */
  readonly timeoutMs: number;
  /** Time limit for connecting, in milliseconds (`--contimeout`). */
  readonly connectTimeoutMs: number;
  /** PEM of further certificate authorities (`--ca-cert`), as text. */
  readonly caCertificates?: string;
  /** `--no-check-certificate`. */
  readonly insecureTls: boolean;
  /** Further settings of the HTTP client: headers, certificates, a trace. */
  readonly http?: HttpChoices;
  readonly env: NodeJS.ProcessEnv;
}
