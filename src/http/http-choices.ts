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
  /** Gets to see requests and answers (`--dump`). */
  readonly trace?: HttpTrace;
}
