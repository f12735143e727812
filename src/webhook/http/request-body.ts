import type { IncomingMessage } from 'node:http';
import { ByteCollector } from '../../core/buffers.ts';
import { NO_BODY } from './answer.ts';

/** An incomplete body. */
export class BrokenBody extends Error {}

/** The body of one request; it can be read once. */
export class RequestBody {
  readonly #request: IncomingMessage;
  readonly #length: number;
  readonly #atFirstRead: (() => void) | undefined;
  /** The whole body was read. */
  done: boolean;
  /** Reading has begun. */
  started = false;
  /** A reader waits for what the client has not sent yet. */
  isAwaited = false;
  #broken: BrokenBody | undefined;
  #wake: () => void = () => {};

  /** @param atFirstRead called when the body is wanted: the client may wait for that */
  constructor(request: IncomingMessage, length: number | 'chunked', atFirstRead?: () => void) {
    this.#request = request;
    this.#length = length === 'chunked' ? 0 : length;
    this.#atFirstRead = atFirstRead;
    this.done = length === 0;
  }

  /** The chunks of the body. Rejects with `BrokenBody`. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) {
      yield chunk;
    }
  }

  /** Reads the whole body; `undefined` where it is longer than `maxBytes`. Rejects with `BrokenBody`. */
  async readAll(maxBytes: number): Promise<Buffer | undefined> {
    if (this.#length > maxBytes) return undefined;
    const body = new ByteCollector();
    for await (const chunk of this) {
      if (body.length + chunk.length > maxBytes) return undefined;
      body.push(chunk);
    }
    return body.take();
  }

  /** The whole body where it is there already and nothing of it was read; else `undefined`, and nothing has happened. */
  readAtHand(maxBytes: number): Buffer | undefined {
    const { complete, readableLength } = this.#request;
    if (this.done || this.started || !complete || readableLength > maxBytes) return undefined;
    this.started = true;
    this.#atFirstRead?.();
    this.done = true;
    return (this.#request.read() as Buffer | null) ?? NO_BODY;
  }

  /** Ends the body here: a reader gets a `BrokenBody`. */
  cutOff(why: string): void {
    if (this.done || this.#request.complete) return;
    this.#broken ??= new BrokenBody(why);
    this.#wake();
  }

  /** Drops what still comes. Resolves when that was all, or after `ms` milliseconds. */
  async drop(ms: number): Promise<void> {
    if (this.done || this.#broken !== undefined) return;
    const request = this.#request.removeAllListeners('readable');
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    request.once('end', resolve).once('close', resolve).resume();
    await promise;
    clearTimeout(timer);
  }

  async #next(): Promise<Buffer | undefined> {
    if (!this.started && !this.done) {
      this.started = true;
      this.#request
        .on('readable', () => this.#wake())
        .on('end', () => this.#wake())
        .on('error', () => {})
        .on('close', () => this.cutOff('unexpected EOF'));
      if (this.#request.destroyed) this.cutOff('unexpected EOF');
      this.#atFirstRead?.();
    }
    while (!this.done) {
      if (this.#broken !== undefined) throw this.#broken;
      const chunk = this.#request.read() as Buffer | null;
      this.done = this.#request.complete && this.#request.readableLength === 0;
      if (chunk !== null) return chunk;
      if (this.done) break;
      this.isAwaited = true;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.isAwaited = false;
    }
    return undefined;
  }
}
