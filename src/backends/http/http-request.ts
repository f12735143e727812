import type { Readable } from 'node:stream';

export interface Origin {
  /** TLS. */
  readonly secure: boolean;
  /** A name or an IP address, without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** The path of a Unix socket, instead of name and port. */
  readonly socketPath?: string;
  /** As in the `host` header: the port only if it is not the scheme's default. */
  readonly host: string;
}

export interface HttpRequest {
  readonly method: string;
  readonly origin: Origin;
  /** Path and query, percent-encoded. */
  readonly target: string;
  /** The target is a secret: it needs no login. */
  readonly isSecretTarget?: boolean;
  /** Names in lower case. Includes `host`, and `content-length` if there is a body. */
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is read to its end or destroyed. */
  readonly body: Buffer | Readable | undefined;
  /** Sends the body only when the server has agreed to the headers, or after a second without a response. */
  readonly asksFirst: boolean;
}

/** Time limits in milliseconds; 0: no limit. `idleMs`: without a byte in either direction. */
export type TimeLimits = Readonly<Record<'connectMs' | 'idleMs', number>>;

/** The server of a URL. */
export function originOf(url: URL): Origin {
  const secure = url.protocol === 'https:';
  return {
    secure,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    host: url.host,
  };
}
