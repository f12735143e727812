import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { VersionedResponse } from './answer.ts';
import { Connection, type ConnectionLimits, type RequestHandler } from './connection.ts';
import { MAX_HEADERS } from './request-head.ts';

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
    else if (fault.code?.startsWith('HPE_') === true) connection?.refuse(refusalOf(fault.code));
    else socket.destroy();
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

/** What Node answers to what its parser refuses. */
function refusalOf(code: string): number {
  if (code === 'HPE_HEADER_OVERFLOW') return 431;
  return code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW' ? 413 : 400;
}
