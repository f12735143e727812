import type { ServerResponse } from 'node:http';
import { breakConnection } from './break-connection.ts';
import type { Answer } from './graph-call.ts';
import type { GraphFault } from './graph-fault.ts';

/** Sends an answer, with what goes wrong with it. */
export function sendAnswer(
  response: ServerResponse,
  answer: Answer,
  fault: GraphFault | undefined,
): void {
  const { status, json } = answer;
  if (fault !== undefined && 'reset' in fault && fault.reset === 'after') {
    breakConnection(response.socket);
    return;
  }
  const body = json === undefined ? (answer.body ?? []) : [Buffer.from(JSON.stringify(json))];
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  const hasBody = status !== 204 && status !== 304;
  response.writeHead(status, {
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...(hasBody && { 'content-length': length }),
    ...(answer.isStranger !== true && { 'request-id': crypto.randomUUID() }),
    ...answer.headers,
  });
  const sent = fault !== undefined && 'corrupt' in fault ? damaged(body, fault.at ?? 0) : body;
  const cuts = fault !== undefined && ('truncate' in fault || 'reset' in fault || 'hang' in fault);
  if (!cuts) {
    writeAll(response, sent, () => response.end());
    return;
  }
  response.flushHeaders();
  writeAll(response, firstBytes(sent, fault.afterBytes ?? Math.floor(length / 2)), () => {
    if ('truncate' in fault) response.socket?.end();
    else if ('reset' in fault) breakConnection(response.socket);
    // A hang: nothing more happens.
  });
}

/** Writes pieces as fast as the client takes them. */
function writeAll(response: ServerResponse, pieces: readonly Buffer[], then: () => void): void {
  let next = 0;
  const go = () => {
    if (response.destroyed) return;
    const piece = pieces[next++];
    if (piece === undefined) then();
    else response.write(piece, go);
  };
  go();
}

function firstBytes(body: readonly Buffer[], limit: number): Buffer[] {
  let left = limit;
  return body.map((piece) => {
    const part = piece.subarray(0, left);
    left -= part.length;
    return part;
  });
}

/** The pieces with one bit of byte `at` changed. */
export function damaged(body: readonly Buffer[], at: number): Buffer[] {
  let offset = 0;
  return body.map((piece) => {
    const index = at - offset;
    offset += piece.length;
    if (index < 0 || index >= piece.length) return piece;
    const copy = Buffer.from(piece);
    copy[index] = (copy[index] ?? 0) ^ 0x01;
    return copy;
  });
}
