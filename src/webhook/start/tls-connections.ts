import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type TlsOptions } from 'node:tls';
import type { TakeConnection } from '../http/serve-http.ts';

/** First byte of a TLS handshake. */
const HANDSHAKE = 0x16;
/** Milliseconds for a handshake. */
const HANDSHAKE_MS = 10_000;
const NOT_TLS = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** Serves connections over TLS. Throws for an invalid certificate or key. */
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
  // A failed handshake concerns only that client.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  return (socket: Socket) => {
    // A client that leaves before the handshake is over gets no answer.
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

/** Why a certificate and its key, from the files of these paths, cannot be used; `undefined` if they can. */
export function certificateFault(
  { cert, key }: { readonly cert: string | Buffer; readonly key: string | Buffer },
  paths: { readonly cert: string; readonly key: string },
): string | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(cert);
  } catch {
    return `${paths.cert} holds no certificate`;
  }
  let privateKey: KeyObject;
  try {
    privateKey = createPrivateKey(key);
  } catch {
    if (!key.includes('ENCRYPTED')) return `${paths.key} holds no private key`;
    return `${paths.key} is encrypted; decrypt it with: openssl pkey -in ${paths.key}`;
  }
  if (certificate.checkPrivateKey(privateKey)) return undefined;
  return `${paths.key} does not belong to ${paths.cert}`;
}
