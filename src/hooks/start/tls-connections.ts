import type { Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import {
  type ConnectionLimits,
  type RequestHandler,
  serveConnection,
} from '../http/serve-connection.ts';
import type { TakeConnection } from './listen.ts';

/** First byte of a TLS handshake. */
const HANDSHAKE = 0x16;
/** A handshake that began must be over after so long, in milliseconds. */
const HANDSHAKE_MS = 10_000;
const NOT_TLS = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** How connections are served with HTTPS. Throws where certificate or key make no sense. */
export function tlsConnections(
  options: TlsOptions,
  handle: RequestHandler,
  limits: ConnectionLimits,
): TakeConnection {
  const handshakeTimeout = Math.min(HANDSHAKE_MS, limits.headTimeoutMs);
  const server = createServer({ ...options, handshakeTimeout }, (socket) => {
    socket.allowHalfOpen = true;
    void serveConnection(socket, handle, limits);
  });
  // A handshake that fails concerns nobody but that client.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  return (socket: Socket) => {
    // Who leaves before the handshake is over waits for nothing.
    socket.allowHalfOpen = false;
    const deadline = setTimeout(() => socket.destroy(), limits.headTimeoutMs);
    socket.once('close', () => clearTimeout(deadline));
    socket.once('data', (first: Buffer) => {
      clearTimeout(deadline);
      socket.pause();
      if (first[0] !== HANDSHAKE) {
        socket.end(NOT_TLS);
        return;
      }
      socket.unshift(first);
      server.emit('connection', socket);
    });
    socket.resume();
  };
}
