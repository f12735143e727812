import type { Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import type { TakeConnection } from '../http/serve-http.ts';

/** First byte of a TLS handshake. */
const HANDSHAKE = 0x16;
/** A handshake that began must be over after so long, in milliseconds. */
const HANDSHAKE_MS = 10_000;
const NOT_TLS = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** How connections become those of TLS, and are served then. Throws where certificate or key make no sense. */
export function tlsConnections(
  options: TlsOptions,
  serve: TakeConnection,
  headTimeoutMs: number,
): TakeConnection {
  const handshakeTimeout = Math.min(HANDSHAKE_MS, headTimeoutMs);
  const server = createServer({ ...options, handshakeTimeout }, (socket) => {
    socket.allowHalfOpen = true;
    serve(socket);
  });
  // A handshake that fails concerns nobody but that client.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  return (socket: Socket) => {
    // Who leaves before the handshake is over waits for nothing.
    socket.allowHalfOpen = false;
    const deadline = setTimeout(() => socket.destroy(), headTimeoutMs);
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
