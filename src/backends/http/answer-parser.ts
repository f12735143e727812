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

const STATUS_LINE = /^HTTP\/1\.([01]) +(\d{3})(?: |\r?\n|$)/;
const LENGTH = /^\d{1,15}$/;

/** Reads the head of a response to `method`, without the empty line (RFC 9112, 4 to 6). Throws `NotHttp`. */
function readAnswerHead(text: string, method: string): AnswerHead {
  const match = STATUS_LINE.exec(text);
  if (match === null) throw new NotHttp('the response does not start with a status line');
  const status = Number(match[2]);
  const headers = readHeaders(text);
  const connection = headers['connection']?.toLowerCase() ?? '';
  const isOld = match[1] === '0';
  const bodyLength = lengthOf(headers, status, method);
  const keepsAlive =
    bodyLength !== 'until-close' &&
    (isOld ? connection.includes('keep-alive') : !connection.includes('close'));
  return { status, headers, bodyLength, keepsAlive };
}

/** Reads the lines after the first one. */
function readHeaders(text: string): HttpHeaders {
  const headers: Record<string, string | undefined> = Object.create(null);
  let last = '';
  for (let feed = text.indexOf('\n'); feed >= 0; ) {
    const start = feed + 1;
    feed = text.indexOf('\n', start);
    const end = feed < 0 ? text.length : feed;
    const first = text[start];
    if (last !== '' && (first === ' ' || first === '\t')) {
      headers[last] += ` ${text.slice(start, end).trim()}`;
      continue;
    }
    const colon = text.indexOf(':', start);
    if (colon <= start || colon >= end) throw new NotHttp('a header has no colon');
    last = text.slice(start, colon).toLowerCase();
    // Also the carriage return goes.
    const value = text.slice(colon + 1, end).trim();
    const before = headers[last];
    headers[last] = before === undefined ? value : `${before}, ${value}`;
  }
  const length = headers['content-length'];
  if (length?.includes(',')) {
    // A length that a proxy repeated: fine as long as all agree (RFC 9110, 8.6).
    const [one = '', ...others] = length.split(',').map((each) => each.trim());
    headers['content-length'] = others.every((other) => other === one) ? one : length;
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
  if (LENGTH.test(length)) return Number(length);
  throw new NotHttp(`its length is "${length}"`);
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

/** Receives the parts of a response: its head, the bytes of its body, its end. */
export interface AnswerSink {
  /** The head; also those of interim responses (status 1xx). */
  head(head: AnswerHead): void;
  /** The bytes from `from` to `to` of a buffer that is reused afterwards. */
  data(buffer: Buffer, from: number, to: number): void;
  end(): void;
}

/** The start of every response. */
const BEGINNING = Buffer.from('HTTP/');

/** Reads responses from the bytes of a connection, in pieces of any size. */
export class AnswerParser {
  readonly #sink: AnswerSink;
  #method = '';
  /** The start of a head that is not complete. */
  #beginning: Buffer | undefined;
  /** Bytes of the body still to come; for a chunked one its reader. */
  #rest: number | ChunkedBody = 0;
  #state: 'idle' | 'head' | 'body' = 'idle';

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  expect(method: string): void {
    this.#method = method;
    this.#state = 'head';
  }

  /** A part of the response has arrived. */
  get hasBegun(): boolean {
    return this.#state === 'body' || this.#beginning !== undefined;
  }

  /** Reads `length` bytes; `false` if there are more than the response: the connection is useless. Throws `NotHttp`. */
  feed(buffer: Buffer, length: number): boolean {
    let at = 0;
    while (at < length) {
      if (this.#state === 'idle') return false;
      at =
        this.#state === 'head'
          ? this.#feedHead(buffer, at, length)
          : this.#feedBody(buffer, at, length);
    }
    return true;
  }

  /** The connection has ended: returns whether the response is complete. */
  finish(): boolean {
    if (this.#state !== 'body' || this.#rest !== Number.POSITIVE_INFINITY) return false;
    this.#state = 'idle';
    this.#sink.end();
    return true;
  }

  #feedHead(buffer: Buffer, at: number, length: number): number {
    const before = this.#beginning;
    // Rare: a head in pieces is read from its start.
    const bytes =
      before === undefined ? buffer : Buffer.concat([before, buffer.subarray(at, length)]);
    const [from, to] = before === undefined ? [at, length] : [0, bytes.length];
    const search = before === undefined ? at : Math.max(0, before.length - 3);
    for (let i = 0; i < BEGINNING.length && from + i < to; i++) {
      if (bytes[from + i] !== BEGINNING[i])
        throw new NotHttp('the response does not start with a status line');
    }
    const end = endOfHead(bytes, search, to);
    if (end === undefined) {
      if (to - from > 256 * 1024) throw new NotHttp('the head of the response does not end');
      this.#beginning = Buffer.from(bytes.subarray(from, to));
      return length;
    }
    this.#beginning = undefined;
    const text = bytes.toString('latin1', from, end).trimEnd();
    this.#begin(readAnswerHead(text, this.#method));
    return length - (to - end);
  }

  #begin(head: AnswerHead): void {
    const isInterim = head.status < 200 && head.status !== 101;
    if (!isInterim) {
      this.#state = 'body';
      const { bodyLength } = head;
      this.#rest =
        bodyLength === 'chunked'
          ? new ChunkedBody()
          : bodyLength === 'until-close'
            ? Number.POSITIVE_INFINITY
            : bodyLength;
    }
    this.#sink.head(head);
    if (isInterim || this.#rest !== 0) return;
    this.#state = 'idle';
    this.#sink.end();
  }

  #feedBody(buffer: Buffer, at: number, length: number): number {
    const rest = this.#rest;
    if (typeof rest !== 'number') {
      const next = rest.feed(buffer, at, length, this.#sink);
      if (!rest.isWhole) return next;
      this.#state = 'idle';
      this.#sink.end();
      return next;
    }
    const to = Math.min(length, at + rest);
    this.#rest = rest - (to - at);
    this.#sink.data(buffer, at, to);
    if (this.#rest === 0) {
      this.#state = 'idle';
      this.#sink.end();
    }
    return to;
  }
}

/** Where a head ends and its body starts. Bare line feeds end lines, too (RFC 9112, 2.2). */
function endOfHead(bytes: Buffer, from: number, length: number): number | undefined {
  for (let feed = bytes.indexOf(10, from); feed >= 0; feed = bytes.indexOf(10, feed + 1)) {
    const next = bytes[feed + 1] === 13 ? feed + 2 : feed + 1;
    // Behind them are bytes of earlier responses.
    if (next >= length) return undefined;
    if (bytes[next] === 10) return next + 1;
  }
  return undefined;
}

/** Reads a body in chunks (RFC 9112, 7.1). Skips trailers. */
export class ChunkedBody {
  #state: 'size' | 'data' | 'data-end' | 'trailer' | 'whole' = 'size';
  #left = 0;
  #line = '';

  /** The last chunk and the trailers have arrived. */
  get isWhole(): boolean {
    return this.#state === 'whole';
  }

  /** Reads bytes from `at` to `length`; returns where it stopped. Throws `NotHttp` for invalid chunks. */
  feed(buffer: Buffer, at: number, length: number, sink: Pick<AnswerSink, 'data'>): number {
    let next = at;
    while (next < length && this.#state !== 'whole') {
      if (this.#state === 'data') {
        const to = Math.min(length, next + this.#left);
        this.#left -= to - next;
        sink.data(buffer, next, to);
        next = to;
        if (this.#left === 0) this.#state = 'data-end';
      } else {
        next = this.#feedLine(buffer, next, length);
      }
    }
    return next;
  }

  #feedLine(buffer: Buffer, at: number, length: number): number {
    const feed = buffer.indexOf(10, at);
    const isEnded = feed >= 0 && feed < length;
    this.#line += buffer.toString('latin1', at, isEnded ? feed : length);
    if (this.#line.length > 16 * 1024) throw new NotHttp('a chunk of the response does not end');
    if (!isEnded) return length;
    const line = this.#line.replace(/\r$/, '');
    this.#line = '';
    if (this.#state === 'trailer') {
      if (line === '') this.#state = 'whole';
    } else if (this.#state === 'data-end') {
      if (line !== '') throw new NotHttp('a chunk of the response is longer than its size');
      this.#state = 'size';
    } else {
      const size = /^\s*([\da-f]{1,12})\s*(?:;|$)/i.exec(line)?.[1];
      if (size === undefined) throw new NotHttp('a chunk of the response has no size');
      this.#left = Number.parseInt(size, 16);
      this.#state = this.#left === 0 ? 'trailer' : 'data';
    }
    return feed + 1;
  }
}
