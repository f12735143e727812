import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createSecureContext, createServer, type TlsOptions } from 'node:tls';
import type { CertificatePair } from '../../system/renewed-certificate.ts';
import type { TakeConnection } from '../http/connection.ts';

/** First byte of a TLS handshake. */
const HANDSHAKE = 0x16;
/** Milliseconds for a handshake. */
const HANDSHAKE_MS = 10_000;
const NOT_TLS = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** Connections over TLS. */
interface TlsConnections {
  readonly take: TakeConnection;
  /** Shows another certificate to new connections. Throws for an invalid one. */
  readonly use: (pair: CertificatePair) => void;
}

/** Serves connections over TLS. Throws for an invalid certificate or key. */
export function tlsConnections(
  options: TlsOptions,
  serve: TakeConnection,
  headTimeoutMs: number,
): TlsConnections {
  const handshakeTimeout = Math.min(HANDSHAKE_MS, headTimeoutMs);
  const server = createServer({ ...options, handshakeTimeout }, (socket) => {
    socket.allowHalfOpen = true;
    serve(socket);
  });
  // A failed handshake concerns only that client.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  const take = (socket: Socket) => {
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
  const use = (pair: CertificatePair) => {
    const changed = { ...options, ...pair };
    // An error of the server's own call would leave it with a part of what is new.
    createSecureContext(changed);
    server.setSecureContext(changed);
  };
  return { take, use };
}

/** TLS versions by the names of the command line. */
const VERSIONS: Readonly<Record<string, 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3'>> = {
  '': 'TLSv1.2',
  '1.0': 'TLSv1',
  '1.1': 'TLSv1.1',
  '1.2': 'TLSv1.2',
  '1.3': 'TLSv1.3',
};

/** The suites of TLS 1.3, which cannot be chosen, as in Go. */
const OF_TLS_1_3 = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
];

/**
 * The other suites that Go has for a server with a certificate, by its names and those of OpenSSL, best first: keys
 * that are forgotten, then authenticated encryption.
 */
const SUITES: readonly (readonly [go: string, openssl: string])[] = [
  ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ['TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256', 'ECDHE-RSA-CHACHA20-POLY1305'],
  ['TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA', 'ECDHE-ECDSA-AES128-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA', 'ECDHE-RSA-AES128-SHA'],
  ['TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA', 'ECDHE-ECDSA-AES256-SHA'],
  ['TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA', 'ECDHE-RSA-AES256-SHA'],
  ['TLS_RSA_WITH_AES_128_GCM_SHA256', 'AES128-GCM-SHA256'],
  ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'AES256-GCM-SHA384'],
  ['TLS_RSA_WITH_AES_128_CBC_SHA', 'AES128-SHA'],
  ['TLS_RSA_WITH_AES_256_CBC_SHA', 'AES256-SHA'],
];

/** The names of the suites that can be used from this version on, as Go writes them. Throws for an unknown version. */
export function cipherSuites(minVersion: string): string[] {
  const others = tlsVersion(minVersion) === 'TLSv1.3' ? [] : SUITES.map(([go]) => go);
  return [...OF_TLS_1_3, ...others];
}

/** Node's options for what the command line says: names of Go or OpenSSL. Throws for an unknown version or suite. */
export function tlsOptions(minVersion: string, suites: string) {
  const chosen = suites === '' ? cipherSuites(minVersion) : suites.split(',');
  const unknown = chosen.find(
    (name) => !OF_TLS_1_3.includes(name) && !SUITES.some((names) => names.includes(name)),
  );
  if (unknown !== undefined) throw new Error(`error: unknown TLS cipher suite: ${unknown}`);
  // The order of the flag does not count, as in Go.
  const ordered = SUITES.filter((names) => names.some((name) => chosen.includes(name)));
  const version = tlsVersion(minVersion);
  // The old versions need a lower level of OpenSSL.
  const level = version === 'TLSv1' || version === 'TLSv1.1' ? ['@SECLEVEL=0'] : [];
  return {
    minVersion: version,
    ciphers: [...OF_TLS_1_3, ...ordered.map(([, openssl]) => openssl), ...level].join(':'),
    honorCipherOrder: true,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
}

function tlsVersion(text: string) {
  const version = Object.hasOwn(VERSIONS, text) ? VERSIONS[text] : undefined;
  if (version === undefined) throw new Error(`error: unknown minimum TLS version: ${text}`);
  return version;
}
