import type { Socket } from 'node:net';
import { drained } from '../../core/drained.ts';
import { type Answer, answerBytes, textAnswer } from './answer.ts';
import { BrokenBody, RequestBody } from './request-body.ts';
import { BadRequest, parseRequestHead, type RequestHead } from './request-head.ts';
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
  socket.on('timeout', () => socket.destroy());
  socket.setNoDelay(true);
  const reader = new SocketReader(socket);
  const remoteAddress = addressOf(socket);
  try {
    while (await serveOne(socket, reader, remoteAddress, handle, limits));
  } catch (thrown) {
    if (!(thrown instanceof BrokenBody)) throw thrown;
  } finally {
    socket.end();
    // A client that does not close its side is not waited for.
    socket.setTimeout(1000);
    socket.resume();
  }
}

/** Whether another request may follow. */
async function serveOne(
  socket: Socket,
  reader: SocketReader,
  remoteAddress: string,
  handle: RequestHandler,
  limits: ConnectionLimits,
): Promise<boolean> {
  socket.setTimeout(limits.idleTimeoutMs);
  const first = await reader.read();
  if (first === undefined) return false;
  reader.unread(first);
  const deadline = setTimeout(() => socket.destroy(), limits.headTimeoutMs);
  const bytes = await reader.readHead(limits.maxHeadBytes);
  clearTimeout(deadline);
  if (bytes === undefined) return false;
  let head: RequestHead;
  try {
    if (bytes === 'too-large') throw new BadRequest(431, '');
    head = parseRequestHead(bytes.toString('latin1'));
  } catch (thrown) {
    if (!(thrown instanceof BadRequest)) throw thrown;
    socket.write(refusal(thrown));
    return false;
  }
  const body = new RequestBody(reader, head.body, {
    atFirstRead: () => {
      if (head.expectsContinue) socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    },
    // While a command runs nothing moves; that is no reason to give the connection up.
    atEnd: () => void socket.setTimeout(0),
  });
  const answer = await handle({ head, body, remoteAddress });
  const unwanted = head.expectsContinue && !body.started;
  const keepAlive = head.keepAlive && !unwanted && (await passOver(body));
  const date = new Date().toUTCString();
  const { version, method } = head;
  const flushed = socket.write(answerBytes(answer, { version, method, keepAlive, date }));
  if (!flushed) await drained(socket);
  return keepAlive && !socket.destroyed;
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
    return answerBytes(textAnswer(417, ''), { ...options, date: new Date().toUTCString() });
  }
  const lines = `${type.join(': ')}\r\nConnection: close\r\n`;
  return Buffer.from(`HTTP/1.1 ${text}\r\n${lines}\r\n${text}`);
}

function addressOf(socket: Socket): string {
  const ip = (socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
  const port = socket.remotePort ?? 0;
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}
