import type { IncomingMessage, ServerResponse } from 'node:http';
import { delayOf } from '../fault.ts';
import { answerBatch } from './batch.ts';
import { breakConnection } from './break-connection.ts';
import type { Answer, GraphCall } from './graph-call.ts';
import { CONTENT_HOST } from './graph-certificate.ts';
import type { GraphFault } from './graph-fault.ts';
import { faultAnswer, type GraphFront } from './graph-front.ts';
import type { GraphRouter } from './graph-router.ts';
import { damaged, sendAnswer } from './send-answer.ts';

/** Where a listener stands. */
export interface ListenerPlace {
  /** Only uploads, downloads and monitors are here. */
  readonly onlyContent: boolean;
  readonly secure: boolean;
  /** Scheme and host for contents, told to clients that come without TLS. */
  readonly contentOrigin: () => string;
}

/** Makes what takes requests in and answers them. */
export function makeListener(router: GraphRouter, front: GraphFront, place: ListenerPlace) {
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const head = readHead(request, place);
    const onlyContent = place.onlyContent || request.headers.host === CONTENT_HOST;
    const where = onlyContent ? 'content' : 'graph';
    const { operation } = router.route(head, where);
    // What a token is asked for stands in the body.
    let body = operation === 'token' ? await readBody(request) : undefined;
    const { record, fault } = front.note({ ...head, body: body ?? head.body }, operation);
    await delayOf(fault);
    const refused = faultAnswer(fault);
    if (refused !== undefined) {
      request.resume();
      record.status = refused.status;
      return sendAnswer(response, refused, undefined);
    }
    if (fault !== undefined && (await stopsBefore(request, fault))) return;
    body ??= await readBody(request);
    if (fault !== undefined && 'corruptUpload' in fault) {
      body = Buffer.concat(damaged([body], fault.at ?? 0));
    }
    const call = { ...head, body };
    const answer = front.lieAbout(router, call, where) ?? answerCall(call, where);
    record.status = answer.status;
    sendAnswer(response, answer, fault);
  };

  const answerCall = (call: GraphCall, where: 'graph' | 'content'): Answer => {
    const routed = router.route(call, where);
    if (routed.operation !== 'batch') return routed.answer();
    return answerBatch(router, front, call);
  };

  return (request: IncomingMessage, response: ServerResponse) => {
    request.on('error', () => {});
    response.on('error', () => {});
    take(request, response).catch((error: unknown) => {
      // A client that went away needs no answer; a defect of this server must be seen.
      if (request.readableAborted || response.destroyed) return;
      console.error(error);
      breakConnection(response.socket);
    });
  };
}

/** Faults that end a request before the service sees it; true when it ended. */
async function stopsBefore(request: IncomingMessage, fault: GraphFault): Promise<boolean> {
  if ('reset' in fault && fault.reset === 'in-upload') {
    const limit = fault.afterBytes ?? Number(request.headers['content-length'] ?? 0) / 2;
    await bytesSeen(request, limit);
  }
  if ('reset' in fault && fault.reset !== 'after' && fault.reset !== 'in-body') {
    breakConnection(request.socket);
    return true;
  }
  if ('hang' in fault && fault.hang === 'before') {
    request.resume();
    return true;
  }
  return false;
}

/** Resolves when so many bytes of the body have come, or no more come. */
function bytesSeen(request: IncomingMessage, limit: number): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    request.on('data', (piece: Buffer) => {
      seen += piece.length;
      if (seen >= limit) resolve();
    });
    request.on('end', resolve);
    request.on('close', resolve);
  });
}

function readHead(request: IncomingMessage, place: ListenerPlace): GraphCall {
  const { method = 'GET', url = '/', headers } = request;
  const host = headers.host ?? 'localhost';
  const origin = `${place.secure ? 'https' : 'http'}://${host}`;
  const isLocal = /^(localhost|127\.0\.0\.1)(:|$)/.test(host);
  const secureOrigin = isLocal ? origin : `https://${CONTENT_HOST}`;
  const [path = '/', query = ''] = url.split(/\?(.*)/s, 2);
  return {
    method,
    path,
    query: new URLSearchParams(query),
    headers,
    body: Buffer.alloc(0),
    origin,
    contentOrigin: place.secure ? secureOrigin : place.contentOrigin(),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
