import { NotHttp } from './answer-head.ts';

/** Receives bytes: those from `from` to `to` of a buffer that is reused afterwards. */
export interface BytesSink {
  data(buffer: Buffer, from: number, to: number): void;
}

/** Limit of a line between chunks, with its extensions, in bytes. */
const LONGEST_LINE = 16 * 1024;

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
  feed(buffer: Buffer, at: number, length: number, sink: BytesSink): number {
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
    if (this.#line.length > LONGEST_LINE) throw new NotHttp('a chunk of the response does not end');
    if (!isEnded) return length;
    const line = this.#line.replace(/\r$/, '');
    this.#line = '';
    this.#onLine(line);
    return feed + 1;
  }

  #onLine(line: string): void {
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
  }
}
