import type { HttpTrace } from './http-trace.ts';

/** What the user may want of every HTTP request and every connection. */
export interface HttpChoices {
  /** Sent with every request; names in lower case (`--header`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whom servers see (`--client-cert`, `--client-key`), in PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string };
  /** The address of this machine that connections go out from (`--bind`). */
  readonly localAddress?: string;
  /** Each connection is used for one request only (`--disable-http-keep-alives`). */
  readonly singleUse?: boolean;
  /** How long a server may think about a body it is asked to take, in milliseconds (`--expect-continue-timeout`). */
  readonly agreeMs?: number;
  readonly trace?: HttpTrace;
}

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
  readonly env: NodeJS.ProcessEnv;
}
