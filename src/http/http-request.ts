import type { Readable } from 'node:stream';
import { SyncerError } from '../core/errors.ts';

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

/** What would end a header's line or the head itself. */
const BREAKS = /[\r\n\0]/;

/** The head of a request on the wire (RFC 9112, 3 and 5), in UTF-8. Throws `unsupported` for a line break in a value. */
export function requestHead(request: HttpRequest, target: string): string {
  const { method, headers, asksFirst } = request;
  let head = `${method} ${target} HTTP/1.1\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  if (asksFirst) head += 'expect: 100-continue\r\n';
  if (BREAKS.test(target) || hasBreak(headers)) throw brokenHeader(headers);
  return `${head}\r\n`;
}

function hasBreak(headers: HttpRequest['headers']): boolean {
  for (const name in headers) if (BREAKS.test(headers[name] ?? '')) return true;
  return false;
}

function brokenHeader(headers: HttpRequest['headers']): SyncerError {
  const name = Object.keys(headers).find((each) => BREAKS.test(headers[each] ?? ''));
  const where = name === undefined ? 'the address' : `the header ${name}`;
  const text = `${where} would contain a line break, which HTTP cannot send`;
  return new SyncerError('unsupported', text);
}
