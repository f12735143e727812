import type { OnReadOpts, Socket } from 'node:net';
import { Readable } from 'node:stream';
import { drained } from '../../core/body.ts';
import { BufferPool } from '../../core/buffers.ts';
import { timerMs } from '../../core/context.ts';
import { SyncerError } from '../../core/errors.ts';
import { type AnswerFlow, BodyBroken, HttpAnswer } from './answer.ts';
import { type AnswerHead, AnswerParser, NotHttp } from './answer-parser.ts';
import { connectionError, tooLate } from './connection-error.ts';
import type { HttpRequest, Origin } from './http-request.ts';

/** A body up to this size is sent in one write with the head, in bytes. */
const ONE_WRITE = 64 * 1024;

/** Characters that would end a header's line or the head itself. */
const BREAKS = /[\r\n\0]/;

export interface ConnectionParts {
  readonly origin: Origin;
  readonly shared: SharedBuffers;
  /** Writes HEAD requests. */
  readonly heads: WrittenTogether;
  /** How long it may be idle during a request, in milliseconds; 0: no limit. */
  readonly idleMs: number;
  /** How long to wait for 100 Continue, in milliseconds; a second by default, as Go's clients do. */
  readonly agreeMs?: number | undefined;
  /** Called when another request may be sent. */
  readonly onFree: (connection: HttpConnection) => void;
  /** Called when it can never be used again. */
  readonly onGone: (connection: HttpConnection) => void;
}

/** The current request. */
interface Exchange {
  readonly request: HttpRequest;
  readonly signal: AbortSignal;
  readonly resolve: (answer: HttpAnswer) => void;
  readonly reject: (error: unknown) => void;
  answer?: HttpAnswer;
  /** All of the body is written. */
  isSent: boolean;
  /** Sends the body once the server agrees to it. */
  onAgreed?: (() => void) | undefined;
  agreeTimer?: NodeJS.Timeout;
}

/** One HTTP/1.1 connection: a response is read from the system's buffer, without a stream in between. */
export class HttpConnection {
  /** How the socket is read: into buffers of the connection. */
  readonly onread: OnReadOpts;
  /** Until when it may stay unused, on the monotonic clock in milliseconds. */
  usableUntil = Number.POSITIVE_INFINITY;
  /** How long the server promises to keep an unused connection, in milliseconds. */
  keptAliveMs = Number.POSITIVE_INFINITY;
  readonly #parts: ConnectionParts;
  readonly #parser: AnswerParser;
  readonly #buffers: ReadBuffers;
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #keepsAlive = true;
  /** The last `keep-alive` header: it is mostly the same each time. */
  #keepAlive = '';
  #isUsed = false;
  #isPaused = false;
  #isGone = false;
  /** The signal that it listens to: for the requests of a run this is one, and each listener costs. */
  #signal: AbortSignal | undefined;
  readonly #onAbort = () => {
    this.#signal = undefined;
    if (this.#exchange !== undefined) this.#fail(this.#exchange.signal.reason);
  };
  readonly #flow: AnswerFlow = {
    pause: (answer) => this.#isCurrent(answer) && this.#setPaused(true),
    resume: (answer) => this.#isCurrent(answer) && this.#setPaused(false),
    abandon: (answer) => {
      if (this.#isCurrent(answer)) this.#fail(new BodyBroken('the rest is not needed'));
    },
  };

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
    const buffers = new ReadBuffers(parts.shared);
    this.#buffers = buffers;
    this.onread = { buffer: buffers.next.bind(buffers), callback: this.#onBytes };
    this.#parser = new AnswerParser({ head: this.#onHead, data: this.#onData, end: this.#onEnd });
  }

  /** Sends a request and resolves at the head of the response. The signal also ends the response's body. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    const exchange: Exchange = { request, signal, resolve, reject, isSent: false };
    this.#exchange = exchange;
    this.#isPaused = false;
    this.#socket?.ref();
    this.#listenTo(signal);
    // If it fails before it is read, nothing else listens.
    if (request.body instanceof Readable) request.body.on('error', () => undefined);
    if (request.method === 'HEAD') this.#parts.heads.add(() => this.#write(exchange));
    else this.#write(exchange);
    this.#parser.expect(request.method);
    return promise;
  }

  #listenTo(signal: AbortSignal | undefined): void {
    if (this.#signal === signal) return;
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  #isCurrent(answer: HttpAnswer): boolean {
    return this.#exchange?.answer === answer;
  }

  use(socket: Socket): void {
    this.#socket = socket;
    const { origin, idleMs } = this.#parts;
    if (idleMs > 0) {
      socket.setTimeout(timerMs(idleMs), () => {
        // A slow reader is not the server's fault.
        if (!this.#isPaused) this.#fail(tooLate('data from', origin, idleMs));
      });
    }
    socket.on('error', (error) => this.#onClosed(error));
    socket.on('end', () => this.#onClosed());
    socket.on('close', () => this.#onClosed());
  }

  close(): void {
    const text = `the connection to ${this.#parts.origin.host} was closed`;
    this.#fail(new SyncerError('network', text));
  }

  /** Bytes from the socket; `false` pauses. They are in a buffer of `#buffers`. */
  readonly #onBytes = (length: number, buffer: Uint8Array): boolean => {
    try {
      if (!this.#parser.feed(buffer as Buffer, length))
        this.#fail(new NotHttp('unexpected data after the response'));
    } catch (error) {
      this.#fail(error);
    }
    return !this.#isPaused;
  };

  #write(exchange: Exchange): void {
    const socket = this.#socket;
    if (this.#exchange !== exchange || socket === undefined) return;
    const { request } = exchange;
    const { body, asksFirst } = request;
    let head: string;
    try {
      head = requestHead(request);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (asksFirst) {
      socket.write(head);
      const go = () => {
        clearTimeout(exchange.agreeTimer);
        exchange.onAgreed = undefined;
        if (this.#exchange === exchange) this.#writeBody(exchange, socket, body);
      };
      exchange.onAgreed = go;
      exchange.agreeTimer = setTimeout(go, timerMs(this.#parts.agreeMs ?? 1000));
      return;
    }
    if (Buffer.isBuffer(body) && body.length > 0 && body.length <= ONE_WRITE) {
      const headLength = Buffer.byteLength(head);
      const whole = Buffer.allocUnsafe(headLength + body.length);
      whole.write(head, 0);
      body.copy(whole, headLength);
      exchange.isSent = true;
      socket.write(whole);
      return;
    }
    socket.cork();
    socket.write(head);
    this.#writeBody(exchange, socket, body);
    socket.uncork();
  }

  #writeBody(exchange: Exchange, socket: Socket, body: Buffer | Readable | undefined): void {
    if (body === undefined || Buffer.isBuffer(body)) {
      exchange.isSent = true;
      if (body !== undefined && body.length > 0) socket.write(body);
      return;
    }
    this.#pump(exchange, socket, body).catch((error) => {
      if (this.#exchange === exchange) this.#fail(error);
    });
  }

  /** Writes a stream at the speed of the connection. */
  async #pump(exchange: Exchange, socket: Socket, body: Readable): Promise<void> {
    const promised = Number(exchange.request.headers['content-length']);
    let sent = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      sent += chunk.length;
      if (sent > promised || this.#exchange !== exchange) break;
      if (!socket.write(chunk)) await drained(socket);
    }
    if (this.#exchange !== exchange) return;
    if (sent !== promised) throw new SyncerError('body-cut', 'the source ended early');
    exchange.isSent = true;
  }

  readonly #onHead = (head: AnswerHead): void => {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    if (head.status < 200) {
      if (head.status === 100) exchange.onAgreed?.();
      return;
    }
    // A server that responds without having agreed to the body refuses it.
    const isRefused = exchange.onAgreed !== undefined;
    clearTimeout(exchange.agreeTimer);
    exchange.onAgreed = undefined;
    this.#keepsAlive = head.keepsAlive && !isRefused;
    const keepAlive = head.headers['keep-alive'];
    if (keepAlive !== undefined && keepAlive !== this.#keepAlive) {
      this.#keepAlive = keepAlive;
      const seconds = /timeout=(\d+)/i.exec(keepAlive)?.[1];
      if (seconds !== undefined) this.keptAliveMs = Number(seconds) * 1000;
    }
    exchange.answer = new HttpAnswer(head, this.#flow);
    exchange.resolve(exchange.answer);
  };

  readonly #onData = (buffer: Buffer, from: number, to: number): void => {
    const wants = this.#exchange?.answer?.push(this.#buffers.keep(buffer, from, to));
    if (wants === false) this.#isPaused = true;
  };

  readonly #onEnd = (): void => {
    this.#buffers.rest();
    const exchange = this.#exchange;
    if (exchange?.answer === undefined) return;
    // A response before the end of the request: the rest of the body would be read as the next one.
    const isUsable = exchange.isSent && this.#keepsAlive && !this.#isGone;
    this.#isUsed = true;
    this.#end(exchange);
    exchange.answer.finish('whole');
    if (!isUsable) {
      this.#destroy();
      return;
    }
    // Idle, it does not keep the program alive.
    this.#socket?.unref();
    this.#parts.onFree(this);
  };

  #end(exchange: Exchange): void {
    this.#exchange = undefined;
    if (this.#isPaused) this.#setPaused(false);
    const { body } = exchange.request;
    if (body !== undefined && !Buffer.isBuffer(body)) body.destroy();
  }

  #onClosed(error?: Error): void {
    if (this.#exchange?.answer !== undefined && error === undefined && this.#parser.finish())
      return;
    this.#fail(error ?? Object.assign(new Error('closed by the server'), { code: 'ECONNRESET' }));
  }

  /** Ends the connection, and the current request with an error. */
  #fail(error: unknown): void {
    const exchange = this.#exchange;
    const hadBegun = this.#parser.hasBegun;
    if (exchange !== undefined) this.#end(exchange);
    this.#destroy();
    if (exchange === undefined) return;
    clearTimeout(exchange.agreeTimer);
    const { answer, signal } = exchange;
    if (answer === undefined) {
      const isStale = this.#isUsed && !hadBegun;
      exchange.reject(
        signal.aborted
          ? signal.reason
          : connectionError(error as Error, this.#parts.origin, isStale),
      );
    } else if (signal.aborted) answer.finish(signal.reason);
    else if (error instanceof SyncerError || error instanceof BodyBroken) answer.finish(error);
    else {
      const text = error instanceof NotHttp ? error.message : 'the connection was lost';
      answer.finish(new BodyBroken(text, { cause: error }));
    }
  }

  #destroy(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#listenTo(undefined);
    this.#socket?.destroy();
    this.#parts.onGone(this);
  }

  #setPaused(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return;
    this.#isPaused = isPaused;
    const socket = this.#socket;
    if (socket === undefined || this.#isGone) return;
    if (isPaused) socket.pause();
    else {
      // A time limit that expired without a reader was ignored and is no longer armed.
      if (this.#parts.idleMs > 0) socket.setTimeout(timerMs(this.#parts.idleMs));
      socket.resume();
    }
  }
}

/** The head of a request on the wire (RFC 9112, 3 and 5), in UTF-8. Throws `unsupported` for a line break in a value. */
export function requestHead(request: HttpRequest, target = request.target): string {
  const { method, headers, asksFirst } = request;
  let head = `${method} ${target} HTTP/1.1\r\n`;
  let isBroken = BREAKS.test(target);
  for (const name in headers) {
    const value = headers[name] ?? '';
    isBroken ||= BREAKS.test(value);
    head += `${name}: ${value}\r\n`;
  }
  if (asksFirst) head += 'expect: 100-continue\r\n';
  if (!isBroken) return `${head}\r\n`;
  const name = Object.keys(headers).find((each) => BREAKS.test(headers[each] ?? ''));
  const where = name === undefined ? 'the address' : `the header ${name}`;
  const text = `${where} would contain a line break, which HTTP cannot send`;
  throw new SyncerError('unsupported', text);
}

/** Buffers for all connections of a client. */
export class SharedBuffers {
  /** A reader must finish with it before the next one reads. */
  readonly usual = Buffer.allocUnsafeSlow(64 * 1024);
  /** For long bodies: fewer and larger pieces cost less. */
  readonly larges = new BufferPool(256 * 1024, 32);
}

/** The buffer to read into. Bytes are copied out of the usual one; large ones, for long bodies, are passed on if well filled. */
class ReadBuffers {
  readonly #usual: Buffer;
  readonly #larges: BufferPool;
  #large: Buffer | undefined;
  #isLong = false;

  constructor({ usual, larges }: SharedBuffers) {
    this.#usual = usual;
    this.#larges = larges;
  }

  next(): Buffer {
    if (!this.#isLong) return this.#usual;
    this.#large ??= this.#larges.take();
    return this.#large;
  }

  /** Bytes of the buffer to keep when it is reused. */
  keep(buffer: Buffer, from: number, to: number): Buffer {
    const isFilled = to - from > buffer.length / 2;
    if (isFilled) this.#isLong = true;
    if (!isFilled || buffer !== this.#large) return Buffer.from(buffer.subarray(from, to));
    this.#large = undefined;
    return buffer.subarray(from, to);
  }

  /** The response is complete. Call it while bytes are read: `next` is called right after that. */
  rest(): void {
    this.#isLong = false;
    this.#large = undefined;
  }
}

/**
 * Writes requests in groups: the first of a turn of the event loop at once, others when 16 wait or the turn ends. With
 * hundreds of short requests in flight, each write would wake a server on the same machine, which takes the processor
 * from this program: 10,000 HEAD requests took a quarter more time.
 */
export class WrittenTogether {
  #waiting: (() => void)[] = [];
  #isTurnOpen = false;

  /** @param write must not throw */
  add(write: () => void): void {
    if (!this.#isTurnOpen) {
      this.#isTurnOpen = true;
      setImmediate(() => {
        this.#isTurnOpen = false;
        this.#flush();
      });
      write();
      return;
    }
    this.#waiting.push(write);
    if (this.#waiting.length >= 16) this.#flush();
  }

  #flush(): void {
    const writes = this.#waiting;
    this.#waiting = [];
    for (const write of writes) write();
  }
}
