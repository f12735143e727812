import { nameFromBytes } from '../../core/name-bytes.ts';
import { BadRequest } from './bad-request.ts';
import { parseHeaderLine } from './header-line.ts';

/** The head of an HTTP request. */
export interface RequestHead {
  readonly method: string;
  /** As it stood in the request line. */
  readonly target: string;
  /** `HTTP/1.1` or `HTTP/1.0`. */
  readonly version: string;
  /** By canonical name, in the order they came; without `Host` and `Transfer-Encoding`. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly host: string;
  readonly keepAlive: boolean;
  readonly expectsContinue: boolean;
  /** Length in bytes, or `chunked`. */
  readonly body: number | 'chunked';
}

const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A line break without a carriage return. */
const BARE_BREAK = /(?:^|[^\r])\n/;
const NOT_ASCII = /[\x80-\xff]/;
/** A target with a scheme and a host, as proxies get it. */
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[\w!$%&'()*+,\-.:;=@[\]~]*(?:[/?#]|$)/i;
/** What Go's `httpguts` lets pass. */
const HOST = /^[0-9A-Za-z!$%&'()*+,\-.:;=[\]_~]*$/;

/** Reads a head without the empty line at its end, as latin1 text. Throws `BadRequest`. */
export function parseRequestHead(text: string): RequestHead {
  if (BARE_BREAK.test(text)) throw new BadRequest(400, '');
  const isPlain = !NOT_ASCII.test(text);
  const lines = text.split('\r\n');
  const [line = ''] = lines;
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  const method = line.slice(0, Math.max(first, 0));
  const version = line.slice(last + 1);
  if (first < 0 || first === last || !METHOD.test(method)) throw new BadRequest(400, '');
  if (!/^HTTP\/\d\.\d$/.test(version)) throw new BadRequest(400, '');
  if (!/1\.[01]$/.test(version)) throw new BadRequest(505, ': unsupported protocol version');
  const target = isPlain ? line.slice(first + 1, last) : decodeText(line.slice(first + 1, last));
  checkTarget(target);
  const headers = parseHeaders(lines, isPlain);
  const hosts = headers.get('Host') ?? [];
  headers.delete('Host');
  if (hosts.length > 1) throw new BadRequest(400, '');
  if (hosts.length === 0 && version === 'HTTP/1.1') {
    throw new BadRequest(400, ': missing required Host header');
  }
  if (!HOST.test(hosts[0] ?? '')) {
    throw new BadRequest(400, ': malformed Host header');
  }
  const connection = headers.get('Connection');
  const words =
    connection === undefined
      ? []
      : connection
          .join(',')
          .toLowerCase()
          .split(',')
          .map((word) => word.trim());
  const expect = headers.get('Expect')?.[0]?.toLowerCase() ?? '';
  if (expect !== '' && expect !== '100-continue') throw new BadRequest(417, '');
  const body = bodyLength(headers, version);
  return {
    ...{ method, target, version, headers, host: hostOf(target) ?? hosts[0] ?? '', body },
    keepAlive: !words.includes('close') && (version === 'HTTP/1.1' || words.includes('keep-alive')),
    expectsContinue: expect !== '' && version === 'HTTP/1.1' && body !== 0,
  };
}

function checkTarget(target: string): void {
  const usable = target.startsWith('/') || target === '*' || ABSOLUTE.test(target);
  const path = target.includes('%') ? (target.split('?', 1)[0] ?? '') : '';
  if (!usable || /%(?![0-9a-fA-F]{2})/.test(path) || /[\0-\x20\x7f]/.test(target)) {
    throw new BadRequest(400, '');
  }
}

/** A client that takes this for a proxy sends the host in the target. */
function hostOf(target: string): string | undefined {
  if (target.startsWith('/')) return undefined;
  return /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(target)?.[1];
}

/** @param isPlain all of it is ASCII */
function parseHeaders(lines: readonly string[], isPlain: boolean): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines.slice(1)) {
    const [name, value] = parseHeaderLine(line);
    const decoded = isPlain ? value : decodeText(value);
    const known = headers.get(name);
    if (known === undefined) headers.set(name, [decoded]);
    else known.push(decoded);
  }
  return headers;
}

/** What leaves open where the request ends is refused, also where Go takes one of its meanings. */
function bodyLength(headers: Map<string, string[]>, version: string): number | 'chunked' {
  const encodings = headers.get('Transfer-Encoding');
  const lengths = headers.get('Content-Length');
  headers.delete('Transfer-Encoding');
  if (encodings !== undefined) {
    const [encoding = ''] = encodings;
    if (version === 'HTTP/1.0') throw new BadRequest(400, ': transfer encoding in HTTP/1.0');
    if (encodings.length > 1) throw new BadRequest(400, ': too many transfer encodings');
    if (encoding.toLowerCase() !== 'chunked')
      throw new BadRequest(501, ': Unsupported transfer encoding');
    if (lengths !== undefined) throw new BadRequest(400, ': length beside transfer encoding');
    return 'chunked';
  }
  if (lengths === undefined) return 0;
  const [length = ''] = lengths;
  if (lengths.every((given) => given === '')) {
    headers.delete('Content-Length');
    return 0;
  }
  if (lengths.length > 1 || !/^0*\d{1,15}$/.test(length)) throw new BadRequest(400, '');
  return Number(length);
}

function decodeText(latin1: string): string {
  return /^[\0-\x7f]*$/.test(latin1) ? latin1 : nameFromBytes(Buffer.from(latin1, 'latin1'));
}
