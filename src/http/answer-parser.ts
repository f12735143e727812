import { type AnswerHead, NotHttp, readAnswerHead } from './answer-head.ts';
import { type BytesSink, ChunkedBody } from './chunked-body.ts';

/** Receives the parts of a response: its head, the bytes of its body, its end. */
export interface AnswerSink extends BytesSink {
  /** The head; also those of interim responses (status 1xx). */
  head(head: AnswerHead): void;
  end(): void;
}

/** The start of every response. */
const BEGINNING = Buffer.from('HTTP/');

/** Limit of a head, in bytes. */
const LARGEST_HEAD = 256 * 1024;

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

  /**
   * Reads `length` bytes; returns whether all belong to the response: extra bytes make the connection useless. Throws
   * `NotHttp`.
   */
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
    this.#end();
    return true;
  }

  #feedHead(buffer: Buffer, at: number, length: number): number {
    const before = this.#beginning;
    const fresh = buffer.subarray(at, length);
    const bytes = before === undefined ? fresh : Buffer.concat([before, fresh]);
    if (!bytes.subarray(0, BEGINNING.length).equals(BEGINNING.subarray(0, bytes.length))) {
      throw new NotHttp('the response does not start with a status line');
    }
    const end = endOfHead(bytes, Math.max(0, (before?.length ?? 0) - 3));
    if (end === undefined) {
      if (bytes.length > LARGEST_HEAD) throw new NotHttp('the head of the response does not end');
      this.#beginning = before === undefined ? Buffer.from(fresh) : bytes;
      return length;
    }
    this.#beginning = undefined;
    const head = readAnswerHead(bytes.toString('latin1', 0, end.text), this.#method);
    this.#begin(head);
    return at + end.next - (before?.length ?? 0);
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
    if (!isInterim && this.#rest === 0) this.#end();
  }

  #feedBody(buffer: Buffer, at: number, length: number): number {
    const rest = this.#rest;
    if (typeof rest !== 'number') {
      const next = rest.feed(buffer, at, length, this.#sink);
      if (rest.isWhole) this.#end();
      return next;
    }
    const to = Math.min(length, at + rest);
    this.#rest = rest - (to - at);
    this.#sink.data(buffer, at, to);
    if (this.#rest === 0) this.#end();
    return to;
  }

  #end(): void {
    this.#state = 'idle';
    this.#sink.end();
  }
}

/** The end of a head's text and the start of the body. Bare line feeds end lines, too (RFC 9112, 2.2). */
function endOfHead(
  bytes: Buffer,
  from: number,
): { readonly text: number; readonly next: number } | undefined {
  for (let feed = bytes.indexOf(10, from); feed >= 0; feed = bytes.indexOf(10, feed + 1)) {
    if (bytes[feed + 1] === 13 && bytes[feed + 2] === 10)
      return { text: trimmed(bytes, feed), next: feed + 3 };
    if (bytes[feed + 1] === 10) return { text: trimmed(bytes, feed), next: feed + 2 };
  }
  return undefined;
}

function trimmed(bytes: Buffer, feed: number): number {
  return bytes[feed - 1] === 13 ? feed - 1 : feed;
}
