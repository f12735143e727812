import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { drained } from '../../core/body.ts';
import {
  bodyToSend,
  type HookAnswer,
  isMeasured,
  mayHaveBody,
  textAnswer,
  VersionedResponse,
  writeHead,
} from './answer.ts';
import { BrokenBody, RequestBody } from './request-body.ts';
import {
  BadRequest,
  checkHeadSize,
  MAX_HEADERS,
  type RequestHead,
  readHead,
  saysClose,
} from './request-head.ts';

/** What a server is doing. */
export class Activity {
  /** Requests whose head was read and whose answer was not sent whole yet. */
  busy = 0;
  /** Open connections. */
  open = 0;
  /** Connections close after their answer. */
  stopping = false;
}

/** What is answered to a request. It must not reject. */
export type RequestHandler = (request: {
  readonly head: RequestHead;
  readonly body: RequestBody;
  /** `ip:port`. */
  readonly remoteAddress: string;
}) => Promise<HookAnswer>;

/** Limits for a single client. */
export interface ConnectionLimits {
  /** Bytes of a request's head. */
  readonly maxHeadBytes: number;
  /** Milliseconds until a head must be complete. */
  readonly headTimeoutMs: number;
  /** Milliseconds without traffic until a connection is closed. */
  readonly idleTimeoutMs: number;
  readonly activity: Activity;
  /** Takes an unexpected error that ended a connection. */
  readonly onFault?: (thrown: unknown) => void;
}

/** Bytes of an unread body that are skipped to keep the connection open. */
const MAX_PASSED_OVER = 256 << 10;
/** Milliseconds for a client that still sends to read why its connection is closed. */
const LAST_WORDS_MS = 1000;
const MALFORMED = 'malformed request';

/** A request and where its answer goes. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One connection. Node's parser gives its requests as they come; they are answered one after the other. */
class Connection {
  readonly #socket: Socket;
  readonly #remoteAddress: string;
  readonly #handle: RequestHandler;
  readonly #limits: ConnectionLimits;
  readonly #waiting: Exchange[] = [];
  #isBusy = false;
  /** Of the request that is being answered. */
  #body: RequestBody | undefined;
  /** Its answer is being sent. */
  #isSending = false;
  /** No further request is answered. */
  #closes = false;
  /** A head took too long while another request was answered; when that is done it gets its time once more. */
  #isHeadLate = false;
  #headTimer: NodeJS.Timeout | undefined;
  /** The parser has stopped; what it found is answered with this status. */
  #refusal: number | undefined;

  constructor(socket: Socket, handle: RequestHandler, limits: ConnectionLimits) {
    this.#socket = socket;
    // A Unix socket has no addresses; this is what Go says then.
    const isUnix = socket.remoteAddress === undefined && socket.remoteFamily === undefined;
    const ip = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
    const address = `${ip.includes(':') ? `[${ip}]` : ip}:${socket.remotePort ?? 0}`;
    this.#remoteAddress = isUnix ? '@' : address;
    this.#handle = handle;
    this.#limits = limits;
  }

  /** Answers a request, when those before it are answered. */
  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#closes) return;
    this.#isHeadLate = false;
    clearTimeout(this.#headTimer);
    if (!this.#isBusy) {
      void this.#answerAll({ request, response });
      return;
    }
    this.#waiting.push({ request, response });
    // Node continues to read after a request; unwanted bytes shall stay with the kernel.
    queueMicrotask(() => {
      if (this.#waiting.length > 0) this.#socket.pause();
    });
  }

  /** Answers what is no request with a status, behind all answers that are due, and closes. */
  refuse(status: number): void {
    if (this.#refusal !== undefined || this.#closes) return;
    this.#refusal = status;
    if (!this.#isBusy) this.#sendRefusal(status);
    else if (this.#waiting.length === 0) this.#body?.cutOff(MALFORMED);
  }

  /** Closes the connection of a client whose head is late. */
  giveUp(): void {
    if (this.#isBusy) this.#isHeadLate = true;
    else this.#socket.destroy();
  }

  /** There was no traffic for the allowed time. */
  stoodStill(): void {
    // While a command runs nothing moves; that is no reason to close the connection.
    const waitsForCommand = this.#body?.isAwaited === false && !this.#isSending;
    if (waitsForCommand) this.#socket.setTimeout(this.#limits.idleTimeoutMs);
    else this.#socket.destroy();
  }

  async #answerAll(first: Exchange): Promise<void> {
    const { activity, onFault } = this.#limits;
    this.#isBusy = true;
    try {
      for (let next: Exchange | undefined = first; next !== undefined; ) {
        activity.busy++;
        try {
          await this.#answer(next);
        } finally {
          this.#body = undefined;
          this.#isSending = false;
          activity.busy--;
        }
        const isOver = this.#closes || this.#socket.destroyed;
        next = isOver ? undefined : this.#waiting.shift();
      }
    } catch (thrown) {
      // One request must never end the server.
      onFault?.(thrown);
      this.#socket.destroy();
    }
    this.#isBusy = false;
    this.#waiting.length = 0;
    if (this.#socket.isPaused()) this.#socket.resume();
    if (this.#refusal !== undefined && !this.#closes) this.#sendRefusal(this.#refusal);
    else if (this.#isHeadLate) {
      const { headTimeoutMs } = this.#limits;
      this.#headTimer = setTimeout(() => this.#socket.destroy(), headTimeoutMs).unref();
    }
  }

  async #answer({ request, response }: Exchange): Promise<void> {
    let head: RequestHead;
    try {
      checkHeadSize(request, this.#limits.maxHeadBytes);
      head = readHead(request);
    } catch (thrown) {
      if (!(thrown instanceof BadRequest)) throw thrown;
      const refused = { version: 'HTTP/1.1', method: 'GET', expectsContinue: false };
      const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
      const body = new RequestBody(request, (length ?? encoding) ? 'chunked' : 0);
      await this.#send(response, textAnswer(thrown.status, ''), refused, body, false);
      return;
    }
    const wanted = head.expectsContinue ? () => response.writeContinue() : undefined;
    const body = new RequestBody(request, head.body, wanted);
    this.#body = body;
    if (this.#refusal !== undefined) body.cutOff(MALFORMED);
    // By then all was parsed that came with the head: most bodies can be read at once.
    if (!body.done) await new Promise(setImmediate);
    const answer = await this.#handle({ head, body, remoteAddress: this.#remoteAddress });
    const goesOn = this.#mayGoOn(answer, head, body) && response.shouldKeepAlive;
    const keepAlive = goesOn && (body.done || (await passOver(body)));
    await this.#send(response, answer, head, body, keepAlive);
  }

  /** Whether another request may follow this one. */
  #mayGoOn(answer: HookAnswer, head: RequestHead, body: RequestBody): boolean {
    const hasEnded = this.#socket.readableEnded || this.#refusal !== undefined;
    if (head.closes || (hasEnded && this.#waiting.length === 0)) return false;
    if (this.#limits.activity.stopping || (head.expectsContinue && !body.started)) return false;
    const { version, method } = head;
    if (version === 'HTTP/1.0' && method !== 'HEAD' && !isMeasured(answer)) return false;
    return !answer.headers.some(([name, value]) => /^connection$/i.test(name) && saysClose(value));
  }

  async #send(
    response: ServerResponse,
    answer: HookAnswer,
    head: Pick<RequestHead, 'version' | 'method' | 'expectsContinue'>,
    body: RequestBody,
    keepAlive: boolean,
  ): Promise<void> {
    const { rest, status } = answer;
    if (!keepAlive) this.#closes = true;
    if (this.#socket.destroyed) {
      if (rest !== undefined) void discard(rest);
      return;
    }
    this.#isSending = true;
    writeHead(response, answer, head, keepAlive);
    const start = bodyToSend(answer, head.method);
    if (rest !== undefined && head.method !== 'HEAD' && mayHaveBody(status)) {
      response.write(start, 'latin1');
      response.on('error', () => {});
      // Here the command is waited for, and not the client.
      this.#isSending = false;
      for await (const piece of rest) {
        if (piece.length === 0) continue;
        if (response.destroyed) break;
        if (response.write(piece)) continue;
        this.#isSending = true;
        await drained(response);
        this.#isSending = false;
      }
      this.#isSending = true;
      if (!response.destroyed) response.end();
    } else {
      if (rest !== undefined) void discard(rest);
      if (keepAlive || body.done || (head.expectsContinue && !body.started)) {
        response.end(start, 'latin1');
      } else {
        // The client still sends its request, which it may have to end before it reads.
        response.flushHeaders();
        if (start.length > 0) response.write(start, 'latin1');
        await body.drop(LAST_WORDS_MS);
        response.end();
      }
    }
    // Until the answer is with the kernel, or its connection is gone.
    if (response.writableLength > 0 && !response.destroyed && !response.closed) {
      await new Promise<void>((resolve) => void response.once('close', resolve));
    }
  }

  #sendRefusal(status: number): void {
    this.#closes = true;
    const line = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
    this.#socket.end(`${line}\r\nConnection: close\r\n\r\n`);
    this.#socket.setTimeout(LAST_WORDS_MS, () => this.#socket.destroy());
    this.#socket.resume();
  }
}

async function discard(rest: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of rest);
}

async function passOver(body: RequestBody): Promise<boolean> {
  try {
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > MAX_PASSED_OVER) return false;
    }
    return true;
  } catch (thrown) {
    if (thrown instanceof BrokenBody) return false;
    throw thrown;
  }
}

/** Checks for late heads during the time of a head. */
const LOOKS = 12;

/** Takes over a connection that was accepted. */
export type TakeConnection = (socket: Socket) => void;

/** Serves connections with HTTP, by Node's server. */
export function serveHttp(handle: RequestHandler, limits: ConnectionLimits): TakeConnection {
  const connections = new WeakMap<object, Connection>();
  const { maxHeadBytes, headTimeoutMs, idleTimeoutMs } = limits;
  const server = createServer({
    insecureHTTPParser: false,
    maxHeaderSize: maxHeadBytes,
    headersTimeout: headTimeoutMs,
    connectionsCheckingInterval: Math.ceil(headTimeoutMs / LOOKS),
    requestTimeout: 0,
    keepAliveTimeout: 0,
    requireHostHeader: false,
    optimizeEmptyRequests: true,
    ServerResponse: VersionedResponse,
  });
  // Node drops headers above the limit silently: one more shows that there were too many.
  server.maxHeadersCount = MAX_HEADERS + 1;
  server.timeout = idleTimeoutMs;
  // A client that has closed its side still gets its answer: an undocumented option of Node.
  Object.assign(server, { httpAllowHalfOpen: true });
  const take = (request: IncomingMessage, response: ServerResponse) => {
    connections.get(request.socket)?.take(request, response);
  };
  server.on('request', take).on('checkContinue', take).on('checkExpectation', take);
  server.on('connect', (_, socket) => {
    socket.on('error', () => {});
    connections.get(socket)?.refuse(400);
  });
  server.on('clientError', (fault: NodeJS.ErrnoException, socket) => {
    const connection = connections.get(socket);
    if (fault.code === 'ERR_HTTP_REQUEST_TIMEOUT') connection?.giveUp();
    else if (fault.code?.startsWith('HPE_') === true) {
      const tooLarge = fault.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW' ? 413 : 400;
      connection?.refuse(fault.code === 'HPE_HEADER_OVERFLOW' ? 431 : tooLarge);
    } else socket.destroy();
  });
  server.on('timeout', (socket) => connections.get(socket)?.stoodStill());
  // Connections come from other servers; this starts the checks for late heads.
  server.emit('listening');
  return (socket) => {
    connections.set(socket, new Connection(socket, handle, limits));
    server.emit('connection', socket);
    socket.resume();
  };
}
