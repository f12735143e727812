import type { IncomingMessage } from 'node:http';
import { nameFromBytes } from '../../core/name-bytes.ts';
import { canonicalHeaderName } from '../../go/go-texts.ts';

/** A request that is refused with this status, and its connection closed. */
export class BadRequest extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`refused with ${status}`);
    this.status = status;
  }
}

const NOT_ASCII = /[\x80-\xff]/;
/** A target with a scheme and a host, as proxies get it. */
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[\w!$%&'()*+,\-.:;=@[\]~]*(?:[/?#]|$)/i;
const HOST_IN = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*)/i;
/** What Go's `httpguts` lets pass. */
const HOST = /^[0-9A-Za-z!$%&'()*+,\-.:;=[\]_~]*$/;

/** More headers than this are too large a head, however short they are. */
export const MAX_HEADERS = 10_000;
/** Node's parser counts names and values alone. Throws `BadRequest` where all of a head is longer than it may be. */
export function checkHeadSize(
  { url = '', rawHeaders }: Pick<IncomingMessage, 'url' | 'rawHeaders'>,
  maxBytes: number,
): void {
  let size = url.length + (rawHeaders.length / 2) * ': \r\n'.length;
  for (const text of rawHeaders) size += text.length;
  if (size > maxBytes || rawHeaders.length > 2 * MAX_HEADERS) throw new BadRequest(431);
}

/** The head of an HTTP request. */
export type RequestHead = Readonly<ReturnType<typeof readHead>>;

/** Reads what Node's parser took. Throws `BadRequest` where that is more lenient than a hook server should be. */
export function readHead(
  request: Pick<IncomingMessage, 'method' | 'url' | 'httpVersion' | 'rawHeaders'>,
) {
  const { method = '', url = '', httpVersion, rawHeaders } = request;
  const version = `HTTP/${httpVersion}`;
  if (version !== 'HTTP/1.1' && version !== 'HTTP/1.0') throw new BadRequest(400);
  const target = decodeText(url);
  const isUsable = target.startsWith('/') || target === '*' || ABSOLUTE.test(target);
  const path = target.includes('%') ? (target.split('?', 1)[0] ?? '') : '';
  if (!isUsable || /%(?![0-9a-fA-F]{2})/.test(path) || /[\0-\x20\x7f]/.test(target)) {
    throw new BadRequest(400);
  }
  const headers = new Map<string, string[]>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = canonicalHeaderName(rawHeaders[at] ?? '');
    const value = decodeText(rawHeaders[at + 1] ?? '');
    const known = headers.get(name);
    if (known === undefined) headers.set(name, [value]);
    else known.push(value);
  }
  const hosts = headers.get('Host') ?? [];
  headers.delete('Host');
  const [host = ''] = hosts;
  const isMissing = hosts.length === 0 && version === 'HTTP/1.1';
  if (hosts.length > 1 || isMissing || !HOST.test(host)) throw new BadRequest(400);
  const expect = headers.get('Expect')?.[0]?.toLowerCase() ?? '';
  if (expect !== '' && expect !== '100-continue') throw new BadRequest(417);
  const body = bodyLength(headers, version);
  return {
    method,
    /** As it stood in the request line. */
    target,
    version,
    /** By canonical name, in the order they came; without `Host` and `Transfer-Encoding`. */
    headers: headers as ReadonlyMap<string, readonly string[]>,
    // A client that takes this for a proxy sends the host in the target, also behind a user and a password.
    host: (target.startsWith('/') ? undefined : HOST_IN.exec(target)?.[1]) ?? host,
    /** Length in bytes, or `chunked`. */
    body,
    /** The connection closes after this request. */
    // What stands behind a request for another protocol in the same bytes is lost, and Node closes where it was to say
    // that it waits for a body that is none.
    closes:
      headers.has('Upgrade') ||
      (expect !== '' && body === 0) ||
      saysClose(headers.get('Connection')?.join()),
    expectsContinue: expect !== '' && version === 'HTTP/1.1' && body !== 0,
  };
}

/** Whether a header `Connection` closes the connection. */
export const saysClose = (value = ''): boolean => /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i.test(value);

/** Node's parser takes encodings before `chunked`, and `chunked` in HTTP/1.0; what they mean there is open. */
function bodyLength(headers: Map<string, string[]>, version: string): number | 'chunked' {
  const encodings = headers.get('Transfer-Encoding');
  if (encodings === undefined) return Number(headers.get('Content-Length')?.[0] ?? 0);
  headers.delete('Transfer-Encoding');
  const isChunked = encodings.length === 1 && encodings[0]?.toLowerCase() === 'chunked';
  if (!isChunked || version === 'HTTP/1.0') throw new BadRequest(400);
  return 'chunked';
}

function decodeText(latin1: string): string {
  return NOT_ASCII.test(latin1) ? nameFromBytes(Buffer.from(latin1, 'latin1')) : latin1;
}
