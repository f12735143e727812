import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { SyncerError } from '../../../core/errors.ts';
import type { Address } from '../endpoint.ts';
import { connectionError } from './connection-error.ts';
import type { Connections } from './connections.ts';

/** One HTTP request, signed. */
export interface HttpRequest {
  readonly method: string;
  readonly address: Address;
  /** The query string without `?`; `''` for none. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A stream is read to its end or destroyed. */
  readonly body: Buffer | Readable | undefined;
  /** Sends the body only when the server has agreed to the headers, or said nothing for a second. */
  readonly asksFirst: boolean;
}

/** How long a server may think about a body it is asked to take, in milliseconds; as Go's clients wait. */
const AGREE_MS = 1000;

/** How long things may take, in milliseconds; 0 for ever. */
export interface TimeLimits {
  readonly connectMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
}

/**
 * Sends a request and resolves when the head of the answer is there, whatever its status. Rejects with a
 * `SyncerError` where no answer comes, with the signal's reason where it is aborted. The signal also ends the
 * answer's body.
 */
export function exchange(
  connections: Connections,
  request: HttpRequest,
  limits: TimeLimits,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { address, body } = request;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const client = address.secure ? https : http;
    const outgoing = client.request({
      agent: address.secure ? connections.https : connections.http,
      method: request.method,
      hostname: address.hostname,
      port: address.port,
      path: request.query === '' ? address.path : `${address.path}?${request.query}`,
      headers: {
        ...latin1Values(request.headers),
        ...(request.asksFirst ? { expect: '100-continue' } : {}),
      },
    });
    let answer: IncomingMessage | undefined;
    const end = (error: Error) => (answer ?? outgoing).destroy(error);
    const onAbort = () => end(signal.reason);
    const settle = () => {
      signal.removeEventListener('abort', onAbort);
      if (body !== undefined && !Buffer.isBuffer(body)) body.destroy();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    limitConnecting(outgoing, limits.connectMs, address, end);
    if (limits.idleMs > 0) {
      outgoing.setTimeout(limits.idleMs, () => {
        // A reader that takes its time is not the server's fault.
        if (answer?.isPaused() !== true)
          end(timedOut(`no data from ${address.host}`, limits.idleMs, '--timeout'));
      });
    }
    outgoing.on('response', (incoming) => {
      answer = incoming;
      incoming.once('close', settle);
      resolve(incoming);
    });
    outgoing.on('error', (error) => {
      settle();
      reject(
        signal.aborted ? signal.reason : connectionError(error, address, outgoing.reusedSocket),
      );
    });
    const send = () => {
      if (body === undefined || Buffer.isBuffer(body)) outgoing.end(body);
      else sendStream(body, outgoing);
    };
    if (request.asksFirst) whenAgreed(outgoing, send);
    else send();
  });
}

function sendStream(body: Readable, outgoing: http.ClientRequest): void {
  body.on('error', (error) => outgoing.destroy(error));
  body.on('close', () => {
    if (!body.readableEnded) outgoing.destroy(new SyncerError('body-cut', 'the source broke off'));
  });
  body.pipe(outgoing);
}

/** Calls `send` when the server wants the body. Where it answers instead, the connection cannot be used again. */
function whenAgreed(outgoing: http.ClientRequest, send: () => void): void {
  const agree = () => {
    stop();
    send();
  };
  const refuse = (incoming: IncomingMessage) => {
    stop();
    incoming.once('end', () => outgoing.destroy());
  };
  let timer: NodeJS.Timeout | undefined;
  const onSocket = (socket: Socket) => {
    const wait = () => {
      if (!outgoing.destroyed) timer = setTimeout(agree, AGREE_MS);
    };
    if (socket.connecting) socket.once('connect', wait);
    else wait();
  };
  const stop = () => {
    clearTimeout(timer);
    outgoing.off('continue', agree);
    outgoing.off('response', refuse);
  };
  outgoing.once('socket', onSocket);
  outgoing.once('continue', agree);
  outgoing.prependOnceListener('response', refuse);
  outgoing.once('close', stop);
}

function limitConnecting(
  outgoing: http.ClientRequest,
  ms: number,
  { host }: Address,
  end: (error: Error) => void,
): void {
  if (ms <= 0) return;
  outgoing.once('socket', (socket) => {
    if (!socket.connecting) return;
    const onLate = () => end(timedOut(`no connection to ${host}`, ms, '--contimeout'));
    const timer = setTimeout(onLate, ms);
    const clear = () => clearTimeout(timer);
    socket.once('connect', clear);
    socket.once('close', clear);
  });
}

function timedOut(what: string, ms: number, flag: string): SyncerError {
  const advice = `check the endpoint, or wait longer with ${flag}`;
  return new SyncerError('timed-out', `${what} within ${ms / 1000} s`, { advice });
}

/** Node writes header values as Latin-1; the bytes on the wire have to be UTF-8, as they were signed. */
function latin1Values(headers: Readonly<Record<string, string>>): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    values[name] = isAscii(value) ? value : Buffer.from(value, 'utf8').toString('latin1');
  }
  return values;
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}
