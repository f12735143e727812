import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable, Writable } from 'node:stream';
import type { Fault } from './fault.ts';

/** Passes an answer on to the client, with what goes wrong with it. */
export function sendDamaged(
  answer: IncomingMessage,
  response: ServerResponse,
  fault: Fault | undefined,
): void {
  answer.on('error', () => response.destroy());
  if (fault !== undefined && 'reset' in fault && fault.reset === 'after') {
    answer.resume();
    answer.on('end', () => response.socket?.resetAndDestroy());
    return;
  }
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  if (fault === undefined || 'corruptUpload' in fault) {
    answer.pipe(response);
    return;
  }
  if ('corrupt' in fault) {
    corruptBody(answer, response, fault.at ?? 0);
    return;
  }
  const length = Number(answer.headers['content-length'] ?? 0);
  const limit = ('afterBytes' in fault && fault.afterBytes) || Math.floor(length / 2);
  sendStart(answer, response, limit, () => {
    if ('truncate' in fault) response.socket?.end();
    else if ('reset' in fault) response.socket?.resetAndDestroy();
    // A hang: nothing more happens.
  });
}

/** Passes a body on with one bit of its byte `at` changed. */
export function corruptBody(from: Readable, to: Writable, at: number): void {
  let sent = 0;
  from.on('data', (piece: Buffer) => {
    const copy = Buffer.from(piece);
    const index = at - sent;
    if (index >= 0 && index < copy.length) copy[index] = (copy[index] ?? 0) ^ 0x01;
    sent += copy.length;
    if (to.write(copy)) return;
    from.pause();
    to.once('drain', () => from.resume());
  });
  from.on('end', () => to.end());
}

/** Sends the first `limit` bytes of a body, then calls `then`. */
function sendStart(
  answer: IncomingMessage,
  response: ServerResponse,
  limit: number,
  then: () => void,
): void {
  let left = limit;
  let done = false;
  const finish = () => {
    if (done) return;
    done = true;
    answer.destroy();
    then();
  };
  response.flushHeaders();
  answer.on('data', (piece: Buffer) => {
    if (done) return;
    const part = piece.subarray(0, left);
    left -= part.length;
    response.write(part, () => left === 0 && finish());
  });
  answer.on('end', finish);
}
