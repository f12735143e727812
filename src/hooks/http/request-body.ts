import { ByteCollector } from '../../kit/byte-collector.ts';
import { BadRequest } from './bad-request.ts';
import { FRAMING_HEADERS, parseHeaderLine } from './header-line.ts';
import type { SocketReader } from './socket-reader.ts';

/** Bytes of a line between chunks, and of all trailers. */
const MAX_LINE = 4096;
/** Bytes of all extensions of a body's chunks. */
const MAX_EXTENSIONS = 16 << 10;
/** A chunk's size and its extensions; zeros in front do not make a size larger. */
const CHUNK_LINE = /^(?=[0-9a-fA-F]{1,16}(?:;|$))0*([0-9a-fA-F]{1,12})(;[\t\x20-\x7e]+)?$/;

/** A body that did not come to its end. */
export class BrokenBody extends Error {}

/** What is told of the reading of a body. */
export interface BodyEvents {
  /** It is wanted for the first time: the client may wait for that. */
  readonly atFirstRead: () => void;
  /** All of it was read. */
  readonly atEnd: () => void;
}

/** The body of one request; it can be read once, and must be at its end before the next request is read. */
export class RequestBody {
  readonly #reader: SocketReader;
  readonly #events: BodyEvents;
  #left: number;
  readonly #chunked: boolean;
  #extensions = 0;
  #done: boolean;
  #started = false;
  /** What follows a fault means nothing. */
  #broken: BrokenBody | undefined;

  constructor(reader: SocketReader, length: number | 'chunked', events: BodyEvents) {
    this.#reader = reader;
    this.#events = events;
    this.#chunked = length === 'chunked';
    this.#left = length === 'chunked' ? 0 : length;
    this.#done = length === 0;
    if (this.#done) events.atEnd();
  }

  /** The whole body was read. */
  get done(): boolean {
    return this.#done;
  }

  /** Reading has begun. */
  get started(): boolean {
    return this.#started;
  }

  /** The chunks of the body. Rejects with `BrokenBody`. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    while (true) {
      const chunk = await this.#next();
      if (chunk === undefined) return;
      yield chunk;
    }
  }

  /** Reads the whole body; `undefined` where it is longer than `maxBytes`. Rejects with `BrokenBody`. */
  async readAll(maxBytes: number): Promise<Buffer | undefined> {
    if (!this.#chunked && this.#left > maxBytes) return undefined;
    const first = await this.#next();
    if (first === undefined) return Buffer.alloc(0);
    if (first.length > maxBytes) return undefined;
    let next = await this.#next();
    if (next === undefined) return first;
    const body = new ByteCollector();
    body.push(first);
    for (; next !== undefined; next = await this.#next()) {
      if (body.length + next.length > maxBytes) return undefined;
      body.push(next);
    }
    return body.take();
  }

  /** The whole body where it is there already and nothing of it was read; else `undefined`, and nothing has happened. */
  readAtHand(maxBytes: number): Buffer | undefined {
    if (this.#chunked || this.#started || this.#done || this.#left > maxBytes) return undefined;
    const whole = this.#reader.takeAtHand(this.#left);
    if (whole === undefined) return undefined;
    this.#started = true;
    this.#events.atFirstRead();
    this.#left = 0;
    this.#finish();
    return whole;
  }

  async #next(): Promise<Buffer | undefined> {
    if (this.#broken !== undefined) throw this.#broken;
    try {
      return await this.#take();
    } catch (thrown) {
      if (thrown instanceof BrokenBody) this.#broken = thrown;
      throw thrown;
    }
  }

  async #take(): Promise<Buffer | undefined> {
    if (this.#done) return undefined;
    if (!this.#started) {
      this.#started = true;
      this.#events.atFirstRead();
    }
    if (this.#left === 0 && !(await this.#openChunk())) return undefined;
    const chunk = await this.#reader.read();
    if (chunk === undefined) throw new BrokenBody('unexpected EOF');
    const mine = chunk.subarray(0, this.#left);
    this.#reader.unread(chunk.subarray(mine.length));
    this.#left -= mine.length;
    if (this.#left === 0) await this.#closeChunk();
    return mine;
  }

  async #openChunk(): Promise<boolean> {
    const [, size, extension = ''] = CHUNK_LINE.exec(await this.#line()) ?? [];
    this.#extensions += extension.length;
    if (size === undefined || this.#extensions > MAX_EXTENSIONS) {
      throw new BrokenBody('invalid byte in chunk length');
    }
    this.#left = Number.parseInt(size, 16);
    if (this.#left > 0) return true;
    let room = MAX_LINE;
    for (let line = await this.#line(); line !== ''; line = await this.#line()) {
      room -= line.length;
      if (room < 0) throw new BrokenBody('too many trailers');
      checkTrailer(line);
    }
    this.#finish();
    return false;
  }

  async #closeChunk(): Promise<void> {
    if (!this.#chunked) this.#finish();
    else if ((await this.#line()) !== '') throw new BrokenBody('malformed chunked encoding');
  }

  #finish(): void {
    this.#done = true;
    this.#events.atEnd();
  }

  /** A line that ends as it must, without its end. */
  async #line(): Promise<string> {
    const line = await this.#reader.readLine(MAX_LINE);
    if (line === undefined) throw new BrokenBody('unexpected EOF');
    if (!line.endsWith('\r\n')) throw new BrokenBody('malformed chunked encoding');
    return line.slice(0, -2);
  }
}

/** Throws `BrokenBody` where a line behind the last chunk could not stand in a head, or would change how it is read. */
function checkTrailer(line: string): void {
  try {
    if (!FRAMING_HEADERS.has(parseHeaderLine(line)[0])) return;
  } catch (thrown) {
    if (!(thrown instanceof BadRequest)) throw thrown;
  }
  throw new BrokenBody('malformed trailer');
}
