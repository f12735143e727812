import type { Readable } from 'node:stream';

/** The server that a request goes to. */
export interface Origin {
  /** TLS. */
  readonly secure: boolean;
  /** A name or an IP address, without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** As the `host` header has it: the port only where it is not the scheme's own. */
  readonly host: string;
}

/** One HTTP request. */
export interface HttpRequest {
  readonly method: string;
  readonly origin: Origin;
  /** Path and query, percent-encoded. */
  readonly target: string;
  /** The target is a secret: it needs no login. */
  readonly isSecretTarget?: boolean;
  /** Names in lower case. `host` is among them, and `content-length` where there is a body. */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is read to its end or destroyed. */
  readonly body: Buffer | Readable | undefined;
  /** Sends the body only when the server has agreed to the headers, or said nothing for a second. */
  readonly asksFirst: boolean;
}

/** How long things may take, in milliseconds; 0 for ever. */
export interface TimeLimits {
  readonly connectMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
}

/** The server a URL leads to. */
export function originOf(url: URL): Origin {
  const secure = url.protocol === 'https:';
  return {
    secure,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    host: url.host,
  };
}
