import type { Socket } from 'node:net';
import { drained } from '../../kit/drained.ts';
import type { Activity } from './activity.ts';
import {
  type Answer,
  answerBytes,
  chunkBytes,
  LAST_CHUNK,
  mayHaveBody,
  textAnswer,
} from './answer.ts';
import { BadRequest } from './bad-request.ts';
import { DateText } from './date-text.ts';
import { BrokenBody, RequestBody } from './request-body.ts';
import { parseRequestHead, type RequestHead } from './request-head.ts';
import { SocketReader } from './socket-reader.ts';
import { statusText } from './status-text.ts';

/** What is answered to a request. It must not reject. */
export type RequestHandler = (request: {
  readonly head: RequestHead;
  readonly body: RequestBody;
  /** `ip:port`. */
  readonly remoteAddress: string;
}) => Promise<Answer>;

/** What a single client may take. */
export interface ConnectionLimits {
  /** Bytes of a request's head. */
  readonly maxHeadBytes: number;
  /** A head that began must be complete after so long, in milliseconds. */
  readonly headTimeoutMs: number;
  /** How long a connection may stand still, in milliseconds. */
  readonly idleTimeoutMs: number;
  readonly activity: Activity;
  /** Kept for all connections. */
  readonly dates?: DateText;
  /** Takes what was thrown where nobody foresaw it, and has ended a connection. */
  readonly onFault?: (thrown: unknown) => void;
}

/** What is left of a body that nobody read is passed over up to here, so that the connection can go on. */
const MAX_PASSED_OVER = 256 << 10;

/** Answers the requests of one connection, one after the other, until it closes. Never rejects. */
export async function serveConnection(
  socket: Socket,
  handle: RequestHandler,
  limits: ConnectionLimits,
): Promise<void> {
  // An error is always followed by the end, which the reader sees.
  socket.on('error', () => {});
  // While a command runs nothing moves; that is no reason to give the connection up.
  const waiting = { forCommand: false };
  const connection: Connection = {
    socket,
    reader: new SocketReader(socket),
    waiting,
    remoteAddress: addressOf(socket),
    dates: limits.dates ?? new DateText(),
    isKept: false,
  };
  socket.on('timeout', () => {
    if (!waiting.forCommand) socket.destroy();
    else {
      keep(connection);
      socket.setTimeout(limits.idleTimeoutMs);
    }
  });
  socket.setTimeout(limits.idleTimeoutMs);
  let next: Next = 'go-on';
  try {
    while (next === 'go-on') next = await serveOne(connection, handle, limits);
  } catch (thrown) {
    // One request must never be the end of the server.
    if (!(thrown instanceof BrokenBody)) limits.onFault?.(thrown);
  } finally {
    waiting.forCommand = false;
    if (next === 'is-over' && canCloseAtOnce(connection)) socket.destroy();
    else {
      socket.end();
      // A client that does not close its side is not waited for.
      socket.setTimeout(1000);
      socket.resume();
    }
  }
}

/** What becomes of a connection after a request; `is-over`: that was read and answered whole. */
type Next = 'go-on' | 'is-over' | 'ends';

/** Nothing more was sent by the client, and all that is for it is with the kernel. TLS says good-bye first. */
function canCloseAtOnce({ socket, reader }: Connection): boolean {
  return socket.writableLength === 0 && !reader.hasBytes && !('encrypted' in socket);
}

/** Prepares a connection for more than one request and answer, which most do not see. */
function keep(connection: Connection): void {
  if (connection.isKept) return;
  connection.isKept = true;
  connection.socket.setNoDelay(true);
  // One whose other end is gone is noticed.
  connection.socket.setKeepAlive(true);
}

/** A connection that is served. */
interface Connection {
  readonly socket: Socket;
  readonly reader: SocketReader;
  readonly remoteAddress: string;
  readonly waiting: { forCommand: boolean };
  readonly dates: DateText;
  isKept: boolean;
}

/** Most heads come in one piece; for one that does not the clock runs from its beginning. */
async function readHeadInTime(
  { socket, reader }: Connection,
  { maxHeadBytes, headTimeoutMs }: ConnectionLimits,
): Promise<Buffer | 'too-large' | undefined> {
  const whole = reader.headAtHand(maxHeadBytes);
  if (whole !== undefined) return whole;
  const deadline = setTimeout(() => socket.destroy(), headTimeoutMs);
  try {
    return await reader.readHead(maxHeadBytes);
  } finally {
    clearTimeout(deadline);
  }
}

/** Answers a request. */
async function serveOne(
  connection: Connection,
  handle: RequestHandler,
  limits: ConnectionLimits,
): Promise<Next> {
  const { socket, reader, remoteAddress, waiting } = connection;
  const first = await reader.read();
  if (first === undefined) return 'ends';
  reader.unread(first);
  const bytes = await readHeadInTime(connection, limits);
  if (bytes === undefined) return 'ends';
  let head: RequestHead;
  try {
    if (bytes === 'too-large') throw new BadRequest(431, '');
    head = parseRequestHead(bytes.toString('latin1'));
  } catch (thrown) {
    if (!(thrown instanceof BadRequest)) throw thrown;
    socket.write(refusal(thrown));
    return 'ends';
  }
  const events = {
    atFirstRead: () => {
      if (!head.expectsContinue) return;
      keep(connection);
      socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    },
    atEnd: () => {
      waiting.forCommand = true;
    },
  };
  const body = new RequestBody(reader, head.body, events);
  limits.activity.begin();
  try {
    const answer = await handle({ head, body, remoteAddress });
    if (await answerOne(connection, { head, body }, answer, limits)) return 'go-on';
    return body.done ? 'is-over' : 'ends';
  } finally {
    limits.activity.end();
  }
}

/** Sends an answer. Whether another request may follow. */
async function answerOne(
  connection: Connection,
  { head, body }: { head: RequestHead; body: RequestBody },
  answer: Answer,
  limits: ConnectionLimits,
): Promise<boolean> {
  const { socket, waiting, dates } = connection;
  const unwanted = head.expectsContinue && !body.started;
  const canGoOn = answer.rest === undefined || head.version === 'HTTP/1.1';
  const wanted = head.keepAlive && !unwanted && canGoOn && !limits.activity.stopping;
  const keepAlive = wanted && (body.done || (await passOver(body)));
  const date = dates.at(Date.now());
  const { version, method } = head;
  if (keepAlive || answer.rest !== undefined) keep(connection);
  const flushed = socket.write(answerBytes(answer, { version, method, keepAlive, date }));
  waiting.forCommand = false;
  if (!flushed) await drained(socket);
  if (answer.rest !== undefined) await sendRest({ socket, waiting }, answer.rest, head, answer);
  if (limits.activity.stopping) await new Promise<void>((sent) => socket.write('', () => sent()));
  return keepAlive && !socket.destroyed;
}

/** Sends what a command still writes. A client that takes nothing for too long is given up, the command goes on. */
async function sendRest(
  { socket, waiting }: Pick<Connection, 'socket' | 'waiting'>,
  rest: AsyncIterable<Buffer>,
  head: RequestHead,
  answer: Answer,
): Promise<void> {
  if (head.method === 'HEAD' || !mayHaveBody(answer.status)) {
    void discard(rest);
    return;
  }
  const chunked = head.version === 'HTTP/1.1';
  waiting.forCommand = true;
  for await (const piece of rest) {
    if (piece.length === 0) continue;
    if (socket.destroyed) return;
    if (socket.write(chunked ? chunkBytes(piece) : piece)) continue;
    waiting.forCommand = false;
    await drained(socket);
    waiting.forCommand = true;
  }
  waiting.forCommand = false;
  if (chunked) socket.write(LAST_CHUNK);
}

async function discard(rest: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of rest);
}

async function passOver(body: RequestBody): Promise<boolean> {
  try {
    let size = 0;
    while (!body.done) {
      for await (const chunk of body) {
        size += chunk.length;
        if (size > MAX_PASSED_OVER) return false;
      }
    }
    return true;
  } catch (thrown) {
    if (thrown instanceof BrokenBody) return false;
    throw thrown;
  }
}

/** Refusals carry a body of their own that repeats the status, and end the connection. */
function refusal({ status, message }: BadRequest): Buffer {
  const text = status === 417 ? '' : `${status} ${statusText(status)}${message}`;
  const type = ['Content-Type', 'text/plain; charset=utf-8'] as const;
  if (status === 417) {
    const options = { version: 'HTTP/1.1', method: 'GET', keepAlive: false };
    return answerBytes(textAnswer(417, ''), { ...options, date: new DateText().at(Date.now()) });
  }
  const lines = `${type.join(': ')}\r\nConnection: close\r\n`;
  return Buffer.from(`HTTP/1.1 ${text}\r\n${lines}\r\n${text}`);
}

/** The address of a client, as `ip:port`. */
function addressOf(socket: Socket): string {
  // A Unix socket has no addresses; this is what Go says then.
  if (socket.remoteAddress === undefined && socket.remoteFamily === undefined) return '@';
  const ip = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  const port = socket.remotePort ?? 0;
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}
