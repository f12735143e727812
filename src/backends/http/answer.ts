import { Readable } from 'node:stream';
import { releaseBuffer } from '../../core/buffers.ts';
import { hasCode, SyncerError } from '../../core/errors.ts';
import type { ReadRange } from '../../core/remote.ts';
import type { AnswerHead, HttpHeaders } from './answer-parser.ts';

/** Receives the body of a response. */
export interface BodyReader {
  /** The next bytes, which belong to the reader. `false` pauses until `resume`. */
  data(chunk: Buffer): boolean;
  end(): void;
  /** The body was truncated. */
  broken(error: Error): void;
}

/** What a response needs of its connection, which serves others after it. */
export interface AnswerFlow {
  pause(answer: HttpAnswer): void;
  resume(answer: HttpAnswer): void;
  /** Discards the rest: the connection cannot be used again. */
  abandon(answer: HttpAnswer): void;
}

/** The response to a request, whose body may still be on its way. It has to be read or discarded. */
export class HttpAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** The length in the head, in bytes. */
  readonly announcedLength: number | undefined;
  readonly #flow: AnswerFlow;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #reader: BodyReader | undefined;
  #observer: BodyReader | undefined;
  /** How the body ended. */
  #end: 'whole' | Error | undefined;
  /** Before it is read: it has ended without a body, as that of a HEAD, or an empty one. */
  isBare = false;

  constructor({ status, headers, bodyLength }: AnswerHead, flow: AnswerFlow) {
    this.status = status;
    this.headers = headers;
    this.announcedLength = typeof bodyLength === 'number' ? bodyLength : undefined;
    this.#flow = flow;
  }

  /** Passes the body to a reader, starting with what has arrived. */
  read(reader: BodyReader): void {
    this.#reader = reader;
    let wants = true;
    if (this.#waiting.length > 0)
      for (const chunk of this.#waiting.splice(0)) wants = reader.data(chunk) && wants;
    if (this.#end === 'whole') reader.end();
    else if (this.#end !== undefined) reader.broken(this.#end);
    else if (wants) this.#flow.resume(this);
    else this.#flow.pause(this);
  }

  /** Shows the body to an observer before its reader; what it returns is ignored. */
  observe(observer: BodyReader): void {
    this.#observer = observer;
    for (const chunk of this.#waiting) observer.data(chunk);
    if (this.#end === 'whole') observer.end();
    else if (this.#end !== undefined) observer.broken(this.#end);
  }

  /** Continues after a reader paused. */
  resume(): void {
    if (this.#end === undefined) this.#flow.resume(this);
  }

  discard(): void {
    if (this.#end !== undefined) return;
    this.#observer?.end();
    this.#observer = undefined;
    this.#flow.abandon(this);
  }

  /** For the connection: the next bytes. `false` pauses. */
  push(chunk: Buffer): boolean {
    this.#observer?.data(chunk);
    if (this.#reader !== undefined) return this.#reader.data(chunk);
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    return this.#waitingBytes < 256 * 1024;
  }

  /** For the connection: the body has ended, complete or with an error. */
  finish(end: 'whole' | Error): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    if (end === 'whole') {
      this.isBare = this.#waiting.length === 0;
      this.#observer?.end();
      this.#reader?.end();
    } else {
      this.#observer?.broken(end);
      this.#reader?.broken(end);
    }
  }
}

/** Observes a body. */
export interface BodyCheck {
  update(chunk: Buffer): void;
  /** The error of the whole body, if any. */
  finish(): SyncerError | undefined;
}

/** The whole body. Rejects with `body-cut` if it is not `expected` bytes long, with `bad-answer` above `limit` bytes. */
export function readWhole(answer: HttpAnswer, limit: number, expected?: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  answer.read({
    data(chunk) {
      size += chunk.length;
      if (size > limit) {
        answer.discard();
        reject(new SyncerError('bad-answer', `the response is larger than ${limit} bytes`));
        return false;
      }
      chunks.push(chunk);
      return true;
    },
    end() {
      if (expected !== undefined && size !== expected) return reject(bodyCut(size, expected));
      const [only] = chunks;
      if (chunks.length === 1 && only !== undefined) return resolve(only);
      resolve(Buffer.concat(chunks, size));
      for (const chunk of chunks) releaseBuffer(chunk);
    },
    broken: (error) => reject(brokenBody(error, size, expected)),
  });
  return promise;
}

/** An error that the connection has not named yet is a truncated body. */
function brokenBody(error: Error, got: number, expected: number | undefined): Error {
  return error instanceof BodyBroken ? bodyCut(got, expected, error.cause) : error;
}

/** The error of a body that is shorter than announced. */
function bodyCut(got: number, expected: number | undefined, cause?: unknown): SyncerError {
  const of = expected === undefined ? '' : ` of ${expected}`;
  return new SyncerError('body-cut', `the response ended after ${got}${of} bytes`, { cause });
}

/** The connection broke in mid-body; the cause is the system's error. */
export class BodyBroken extends Error {}

/** The body as a stream, of `expected` bytes (`body-cut`) that pass `check`. `explain`: a better error for a cut one. */
export function bodyAsStream(
  answer: HttpAnswer,
  expected?: number,
  check?: BodyCheck,
  explain?: (error: Error) => Promise<Error>,
): Readable {
  let size = 0;
  let isWhole = false;
  const body = new Readable({
    // Chunk by chunk: a byte stream would copy waiting chunks together.
    objectMode: true,
    highWaterMark: 2,
    read: () => answer.resume(),
    destroy(error, done) {
      if (!isWhole) answer.discard();
      done(error);
    },
  });
  // It may fail before it is read, and reports that then.
  body.on('error', () => undefined);
  answer.read({
    data(chunk) {
      size += chunk.length;
      check?.update(chunk);
      // Of small chunks, more wait for the reader.
      return body.push(chunk) || (chunk.length < 64 * 1024 && body.readableLength < 16);
    },
    end() {
      isWhole = true;
      const isCut = expected !== undefined && size !== expected;
      const wrong = isCut ? bodyCut(size, expected) : check?.finish();
      if (wrong !== undefined) body.destroy(wrong);
      else body.push(null);
    },
    broken(error) {
      if (body.destroyed) return;
      const broken = brokenBody(error, size, expected);
      if (explain === undefined || !hasCode(broken, 'body-cut')) body.destroy(broken);
      else void explain(broken).then((why) => body.destroy(why));
    },
  });
  return body;
}

/** A range of a whole body. Fails with `body-cut` if that ends before `end`; negative: unknown. */
export function cutOut(
  body: Readable,
  { offset, length = Number.POSITIVE_INFINITY }: ReadRange,
  end = -1,
): Readable {
  const limit = offset + length;
  async function* part() {
    let at = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      const wanted = chunk.subarray(Math.max(0, offset - at), Math.max(0, limit - at));
      at += chunk.length;
      if (wanted.length > 0) yield wanted;
      if (at >= limit) return;
    }
    if (at < end) throw bodyCut(at, undefined);
  }
  return Readable.from(part(), { objectMode: true, highWaterMark: 4 });
}
