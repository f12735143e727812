import type { Origin } from './http-request.ts';
import type { ProxyServer } from './proxy.ts';

/** The user's settings for every HTTP request and every connection. */
export interface HttpChoices {
  /** Sent with every request; names in lower case (`--header`). */
  readonly headers?: Readonly<Record<string, string>>;
  /** The client certificate, in PEM (`--client-cert`, `--client-key`). */
  readonly clientCertificate?: ClientCertificate;
  /** For every request, whatever the environment says (`--http-proxy`). */
  readonly proxy?: ProxyServer;
  /** The local address of connections (`--bind`). */
  readonly localAddress?: string;
  /** Each connection is used for one request only (`--disable-http-keep-alives`). */
  readonly singleUse?: boolean;
  /** How long to wait for 100 Continue, in milliseconds (`--expect-continue-timeout`). */
  readonly agreeMs?: number;
  readonly trace?: HttpTrace;
}

/** A certificate and its key, in PEM, and the password of the key. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
  readonly passphrase?: string;
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
  readonly http?: HttpChoices | undefined;
  /** Waits until a request may be sent (`--max-connections`); resolves to a function to call at its response. */
  readonly takeSlot?: (signal: AbortSignal) => Promise<() => void>;
  readonly env: NodeJS.ProcessEnv;
}

/** How a backend uses the network; from the global flags. */
export interface TransportOptions extends NetworkOptions {
  /** Tries of one request (`--low-level-retries`). */
  readonly lowLevelRetries: number;
  readonly userAgent: string;
  /** Headers of requests that write files, and of those that read them (`--header-upload`, `--header-download`). */
  readonly uploadHeaders?: Readonly<Record<string, string>>;
  readonly downloadHeaders?: Readonly<Record<string, string>>;
  /** Waits until the next request may be sent (`--tpslimit`); absent without a limit. */
  readonly takeTransaction?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** Observes requests and responses. */
export interface HttpTrace {
  /** A request is sent to a server. `body` as far as requested; bodies that are streams are not passed. */
  request(id: number, head: string, body: Buffer | undefined, to: Origin): void;
  /** Its response: the head, and the first bytes of the body if requested. */
  answer(id: number, head: string, body: TracedBody | undefined): void;
  failure(id: number, error: unknown): void;
  /** An event of the connection of a request; absent if none is wanted. */
  readonly connection?: ((id: number, event: string) => void) | undefined;
  readonly showsSecrets: boolean;
  readonly wantsRequestBodies: boolean;
  readonly wantsAnswerBodies: boolean;
}

/** The recorded part of a body. */
export interface TracedBody {
  readonly start: Buffer;
  /** All of it, in bytes. */
  readonly size: number;
}
