import { nameFromBytes } from '../../core/name-bytes.ts';
import { canonicalHeaderName, isHeaderName } from '../go/header-name.ts';

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

/** A request that is refused before it reaches a hook: status and what stands behind it in the answer. */
export class BadRequest extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

const METHOD = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A line break without a carriage return. */
const BARE_BREAK = /(?:^|[^\r])\n/;
/** What most heads do not have: bytes that must not stand there, that are not ASCII, and odd line breaks. */
const ODD = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\xff]|\r(?!\n)|(?:^|[^\r])\n/;
/** What Go's `httpguts` lets pass. */
const HOST = /^[0-9A-Za-z!$%&'()*+,\-.:;=[\]_~]*$/;
const BAD_VALUE = /[\0-\x08\x0a-\x1f\x7f]/;

/** Reads a head without the empty line at its end, as latin1 text. Throws `BadRequest`. */
export function parseRequestHead(text: string): RequestHead {
  const isPlain = !ODD.test(text);
  const lines = !isPlain && BARE_BREAK.test(text) ? text.split(/\r?\n/) : text.split('\r\n');
  const [line = ''] = lines;
  const first = line.indexOf(' ');
  const last = line.lastIndexOf(' ');
  const method = line.slice(0, Math.max(first, 0));
  const version = line.slice(last + 1);
  if (first < 0 || first === last || !METHOD.test(method)) throw new BadRequest(400, '');
  const versionMatch = /^HTTP\/(\d)\.(\d)$/.exec(version);
  if (versionMatch === null) throw new BadRequest(400, '');
  if (versionMatch[1] !== '1') throw new BadRequest(505, ': unsupported protocol version');
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
    keepAlive: version === 'HTTP/1.1' ? !words.includes('close') : words.includes('keep-alive'),
    expectsContinue: expect !== '' && version === 'HTTP/1.1' && body !== 0,
  };
}

function checkTarget(target: string): void {
  const usable =
    target.startsWith('/') || target === '*' || /^[a-z][a-z0-9+.-]*:\/\//i.test(target);
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

/** @param isPlain no line holds anything but printable ASCII, blanks and tabs */
function parseHeaders(lines: readonly string[], isPlain: boolean): Map<string, string[]> {
  const headers = new Map<string, string[]>();
  let previous: string[] | undefined;
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] ?? '';
    if (isBlank(line, 0)) {
      if (previous === undefined) throw new BadRequest(400, '');
      previous.push(`${previous.pop()} ${decodeText(line.trim())}`);
      continue;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0));
    if (colon < 0) throw new BadRequest(400, '');
    if (!isHeaderName(name)) throw new BadRequest(400, ': invalid header name');
    const value = trimmed(line, colon + 1);
    if (!isPlain && BAD_VALUE.test(value)) throw new BadRequest(400, ': invalid header value');
    const key = canonicalHeaderName(name);
    const decoded = isPlain ? value : decodeText(value);
    previous = headers.get(key);
    if (previous !== undefined) previous.push(decoded);
    else {
      previous = [decoded];
      headers.set(key, previous);
    }
  }
  return headers;
}

/** What stands in a line from `from` on, without blanks and tabs around it. */
function trimmed(line: string, from: number): string {
  let start = from;
  let end = line.length;
  while (start < end && isBlank(line, start)) start++;
  while (end > start && isBlank(line, end - 1)) end--;
  return line.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || code === 0x09;
}

function bodyLength(headers: Map<string, string[]>, version: string): number | 'chunked' {
  const encodings = headers.get('Transfer-Encoding');
  headers.delete('Transfer-Encoding');
  if (encodings !== undefined && version === 'HTTP/1.1') {
    const [encoding = ''] = encodings;
    if (encodings.length > 1) throw new BadRequest(400, ': too many transfer encodings');
    if (encoding.toLowerCase() !== 'chunked')
      throw new BadRequest(501, ': Unsupported transfer encoding');
    headers.delete('Content-Length');
    return 'chunked';
  }
  const given = headers.get('Content-Length');
  if (given === undefined) return 0;
  const lengths = [...new Set(given)];
  const [length = '0'] = lengths;
  if (lengths.length === 1 && length === '') {
    headers.delete('Content-Length');
    return 0;
  }
  if (lengths.length > 1 || !/^\d{1,15}$/.test(length)) throw new BadRequest(400, '');
  return Number(length);
}

function decodeText(latin1: string): string {
  return /^[\0-\x7f]*$/.test(latin1) ? latin1 : nameFromBytes(Buffer.from(latin1, 'latin1'));
}
