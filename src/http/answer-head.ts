/** Headers by name in lower case; several of one name are joined by a comma. */
export type HttpHeaders = Readonly<Record<string, string | undefined>>;

/** The length of a response's body: a number of bytes, in chunks, or until the connection ends. */
export type BodyLength = number | 'chunked' | 'until-close';

/** Status line and headers of a response. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly bodyLength: BodyLength;
  /** Another request may follow on the connection. */
  readonly keepsAlive: boolean;
}

const STATUS_LINE = /^HTTP\/1\.([01]) +(\d{3})(?: |$)/;

/**
 * Reads the head of a response, without the empty line at its end (RFC 9112, 4 to 6). Throws `NotHttp`.
 *
 * @param method of the request: HEAD has no body
 */
export function readAnswerHead(text: string, method: string): AnswerHead {
  const lines = text.split(/\r?\n/);
  const match = STATUS_LINE.exec(lines[0] ?? '');
  if (match === null) throw new NotHttp('the response does not start with a status line');
  const status = Number(match[2]);
  const headers = readHeaders(lines);
  const connection = headers['connection']?.toLowerCase() ?? '';
  const isOld = match[1] === '0';
  const bodyLength = lengthOf(headers, status, method);
  const keepsAlive =
    bodyLength !== 'until-close' &&
    (isOld ? connection.includes('keep-alive') : !connection.includes('close'));
  return { status, headers, bodyLength, keepsAlive };
}

function readHeaders(lines: readonly string[]): HttpHeaders {
  const headers: Record<string, string | undefined> = Object.create(null);
  let last = '';
  for (let i = 1; i < lines.length; i++) {
    const line = lines[i] ?? '';
    const colon = line.indexOf(':');
    if (last !== '' && (line.startsWith(' ') || line.startsWith('\t'))) {
      headers[last] += ` ${line.trim()}`;
      continue;
    }
    if (colon <= 0) throw new NotHttp('a header has no colon');
    last = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers[last];
    headers[last] = before === undefined ? value : `${before}, ${value}`;
  }
  return headers;
}

function lengthOf(headers: HttpHeaders, status: number, method: string): BodyLength {
  if (method === 'HEAD' || status < 200 || status === 204 || status === 304) return 0;
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined) {
    return /(^|,)\s*chunked\s*$/i.test(encoding) ? 'chunked' : 'until-close';
  }
  const length = headers['content-length'];
  if (length === undefined) return 'until-close';
  // Repeated by a proxy: fine as long as all agree (RFC 9110, 8.6).
  const [first = '', ...others] = length.split(',').map((each) => each.trim());
  if (!/^\d{1,15}$/.test(first) || others.some((other) => other !== first)) {
    throw new NotHttp(`its length is "${length}"`);
  }
  return Number(first);
}

/** The received bytes are no HTTP/1 response; the message says why. */
export class NotHttp extends Error {}

/** The wait that a server asks for (`Retry-After`: seconds or a date), in milliseconds; `undefined` if there is none. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(header)) return Number(header) * 1000;
  const ms = Date.parse(header) - nowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
