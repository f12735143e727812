import { once } from 'node:events';
import { type AddressInfo, connect as connectPlain, type Server, type Socket } from 'node:net';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { textAnswer } from '../../../../src/webhook/http/answer.ts';
import { Activity, serveHttp } from '../../../../src/webhook/http/connection.ts';
import { listen } from '../../../../src/webhook/start/open-listeners.ts';
import {
  cipherSuites,
  tlsConnections,
  tlsOptions,
} from '../../../../src/webhook/start/tls-connections.ts';
import {
  RSA_CERTIFICATE,
  RSA_KEY,
  SELF_SIGNED_CERTIFICATE,
  SELF_SIGNED_KEY,
} from '../../../support/self-signed.ts';
import { waitFor } from '../../../support/wait-for.ts';

const RSA = { cert: RSA_CERTIFICATE, key: RSA_KEY };
const ECDSA = { cert: SELF_SIGNED_CERTIFICATE, key: SELF_SIGNED_KEY };

let server: Server | undefined;
let address = { host: '127.0.0.1', port: 0 };
const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
  server?.close();
});

async function serve(pair: typeof RSA, suites = '', headTimeoutMs = 60_000): Promise<Activity> {
  const activity = new Activity();
  const limits = { maxHeadBytes: 1000, headTimeoutMs, idleTimeoutMs: 60_000, activity };
  const options = { ...tlsOptions('', suites), ...pair };
  const serve = serveHttp(async () => textAnswer(200, 'answered'), limits);
  const { take } = tlsConnections(options, serve, headTimeoutMs);
  const place = { host: '127.0.0.1', port: 0, maxConnections: 9, activity };
  server = await listen(place, Promise.resolve(take));
  address = { ...address, port: (server.address() as AddressInfo).port };
  return activity;
}

function open(): Socket {
  const socket = connectPlain(address).on('error', () => {});
  opened.push(socket);
  return socket;
}

async function shakeHands(options: ConnectionOptions): Promise<TLSSocket> {
  const all = { ...address, rejectUnauthorized: false, ...options };
  const socket = connect(all).on('error', () => {});
  opened.push(socket);
  await once(socket, 'secureConnect');
  return socket;
}

/** What a client offers that can do all, the worst first. */
const EVERYTHING = 'AES128-SHA:AES256-SHA:AES128-GCM-SHA256:ECDHE-RSA-AES256-SHA:ALL';

test.each([
  ['RSA', RSA, '', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ['ECDSA', ECDSA, '', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  [
    'RSA, suites turned around',
    RSA,
    cipherSuites('').toReversed().join(),
    /^ECDHE-RSA-.*(GCM|POLY)/,
  ],
  [
    'RSA, suites without authenticated encryption that forgets keys',
    RSA,
    'TLS_RSA_WITH_AES_128_CBC_SHA,TLS_RSA_WITH_AES_128_GCM_SHA256,TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA',
    'ECDHE-RSA-AES256-SHA',
  ],
  [
    'RSA, suites that forget no keys',
    RSA,
    'TLS_RSA_WITH_AES_128_CBC_SHA,TLS_RSA_WITH_AES_256_GCM_SHA384',
    'AES256-GCM-SHA384',
  ],
])('TLS 1.2 takes the best that is left, with %s', async (_, pair, suites, wanted) => {
  await serve(pair, suites);
  const socket = await shakeHands({ maxVersion: 'TLSv1.2', ciphers: EVERYTHING });
  expect(socket.getCipher().name).toMatch(wanted);
});

test('suites are those of Go, and no others that Node has', () => {
  const of13 = ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'];
  const aes = ['AES_128_CBC_SHA', 'AES_128_GCM_SHA256', 'AES_256_CBC_SHA', 'AES_256_GCM_SHA384'];
  const forgetting = [...aes, 'CHACHA20_POLY1305_SHA256'];
  expect(cipherSuites('1.3')).toEqual(of13);
  expect(cipherSuites('').toSorted()).toEqual([
    ...of13,
    ...forgetting.map((name) => `TLS_ECDHE_ECDSA_WITH_${name}`),
    ...forgetting.map((name) => `TLS_ECDHE_RSA_WITH_${name}`),
    ...aes.map((name) => `TLS_RSA_WITH_${name}`),
  ]);
});

test.each([
  ['AES128-SHA', 'TLS_RSA_WITH_AES_128_CBC_SHA'],
  ['AES256-GCM-SHA384', 'TLS_RSA_WITH_AES_256_GCM_SHA384'],
  ['ECDHE-ECDSA-AES256-SHA', 'TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA'],
  ['ECDHE-RSA-CHACHA20-POLY1305', 'TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256'],
])('a suite has the name of OpenSSL or of Go: %s', (openssl, go) => {
  const { ciphers } = tlsOptions('', go);
  expect(tlsOptions('', openssl).ciphers).toBe(ciphers);
  expect(ciphers.split(':').slice(3)).toEqual([openssl]);
});

test.each(['NOPE', '', 'AES128-SHA256', 'PSK-AES128-GCM-SHA256', 'TLS_AES_128_CCM_SHA256'])(
  'a suite that is not offered is unknown: %s',
  (name) => {
    expect(() => tlsOptions('', `AES128-SHA,${name}`)).toThrow(
      `error: unknown TLS cipher suite: ${name}`,
    );
  },
);

test('a client does not get a second handshake', async () => {
  await serve(RSA);
  const socket = await shakeHands({ maxVersion: 'TLSv1.2' });
  const again = new Promise((resolve, reject) => {
    socket.once('error', reject).once('close', () => reject(new Error('closed')));
    socket.renegotiate({}, (fault) => (fault === null ? resolve('done') : reject(fault)));
  });
  await expect(again).rejects.toThrow();
});

/** A record that says it is 512 bytes of a handshake. */
const BEGUN = Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1]);

test.each([
  ['before it says anything', Buffer.alloc(0)],
  ['in the middle of the handshake', BEGUN],
])('a client that leaves %s is gone', async (_, bytes) => {
  const activity = await serve(ECDSA);
  const socket = open();
  await waitFor(() => activity.open === 1);
  socket.end(bytes);
  await waitFor(() => activity.open === 0);
});

test('a handshake that stands still is given up', async () => {
  const activity = await serve(ECDSA, '', 100);
  open().write(BEGUN);
  await waitFor(() => activity.open === 1);
  await waitFor(() => activity.open === 0);
});

test('a client that has sent its request and says so gets its answer', async () => {
  await serve(ECDSA);
  const socket = await shakeHands({});
  let answer = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    answer += piece;
  });
  socket.end('GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
  await once(socket, 'close');
  expect(answer).toMatch(/answered$/);
});
