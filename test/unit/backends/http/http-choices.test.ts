import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { readWhole } from '../../../../src/backends/http/answer.ts';
import { HttpClient } from '../../../../src/backends/http/http-client.ts';
import type { HttpRequest } from '../../../../src/backends/http/http-request.ts';
import type {
  HttpChoices,
  HttpTrace,
  NetworkOptions,
} from '../../../../src/backends/http/network-options.ts';
import { readProxy } from '../../../../src/backends/http/proxy.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from '../../../support/self-signed.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const never = new AbortController().signal;

/** A server that answers with `pong`, and the requests it got. */
async function serving(secure = false) {
  const requests: IncomingMessage[] = [];
  const listener: Parameters<typeof createServer>[1] = (incoming, outgoing) => {
    requests.push(incoming);
    incoming.resume().on('end', () => outgoing.end('pong'));
  };
  const tls = { cert: SELF_SIGNED_CERTIFICATE, key: SELF_SIGNED_KEY, requestCert: true };
  const server = secure
    ? createTlsServer({ ...tls, rejectUnauthorized: false }, listener)
    : createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

function clientOf(http: HttpChoices, choices: Partial<NetworkOptions> = {}): HttpClient {
  const limits = { connectTimeoutMs: 0, timeoutMs: 0 };
  const network = { http, ...limits, insecureTls: true, env: {}, ...choices };
  const client = new HttpClient(network, systemClock);
  closing.push(() => client.close());
  return client;
}

function post(port: number, secure = false): HttpRequest {
  const host = `127.0.0.1:${port}`;
  return {
    method: 'POST',
    origin: { secure, hostname: '127.0.0.1', port, host },
    target: '/x',
    headers: { host, 'content-length': '4', 'x-one': 'own' },
    body: Buffer.from('ping'),
    asksFirst: false,
  };
}

test('headers come with every request and win', async () => {
  const { port, requests } = await serving();
  const client = clientOf({ headers: { 'x-one': 'wanted', 'x-two': '2' } });
  await readWhole(await client.send(post(port), never), 100);
  expect(requests[0]?.headers).toMatchObject({ 'x-one': 'wanted', 'x-two': '2' });
});

test('a connection for one request only is not used again', async () => {
  const { port, requests } = await serving();
  const client = clientOf({ singleUse: true });
  for (let i = 0; i < 2; i++) await readWhole(await client.send(post(port), never), 100);
  expect(new Set(requests.map(({ socket }) => socket)).size).toBe(2);
  expect(requests[0]?.headers.connection).toBe('close');
});

test('connections go out from the address that is wanted', async () => {
  const { port, requests } = await serving();
  const client = clientOf({ localAddress: '127.0.0.3' });
  await readWhole(await client.send(post(port), never), 100);
  expect(requests[0]?.socket.remoteAddress).toBe('127.0.0.3');
});

test('an address that this machine does not have is named with its flag', async () => {
  const client = clientOf({ localAddress: '192.0.2.1' });
  await expect(client.send(post(1), never)).rejects.toThrow(/ of --bind: .* 192\.0\.2\.1/);
});

test('a server that asks for a certificate gets it', async () => {
  const { port, requests } = await serving(true);
  const clientCertificate = { cert: SELF_SIGNED_CERTIFICATE, key: SELF_SIGNED_KEY };
  const client = clientOf({ clientCertificate });
  await readWhole(await client.send(post(port, true), never), 100);
  const [request] = requests;
  expect(request?.socket).toHaveProperty('getPeerCertificate');
  const peer = (request?.socket as TLSSocket | undefined)?.getPeerCertificate();
  expect(peer?.subject).toMatchObject({ CN: 'localhost' });
});

function tracing(bodies: boolean, showsSecrets = false) {
  const seen: string[] = [];
  const trace: HttpTrace = {
    showsSecrets,
    wantsRequestBodies: bodies,
    wantsAnswerBodies: bodies,
    request: (id, head, body) => seen.push(`> ${id} ${head}${body ?? ''}`),
    answer: (id, head, body) => seen.push(`< ${id} ${head}${body?.start ?? ''}`),
    failure: (id, error) => seen.push(`! ${id} ${(error as Error).message}`),
  };
  return { trace, seen };
}

test.each([true, false])(
  'a trace sees heads, and bodies where it wants them: %s',
  async (bodies) => {
    const { port } = await serving();
    const { trace, seen } = tracing(bodies);
    const client = clientOf({ trace });
    const body = await readWhole(await client.send(post(port), never), 100);
    expect(body.toString()).toBe('pong');
    expect(seen).toHaveLength(2);
    expect(seen[0]).toMatch(/^> 1 POST \/x HTTP\/1\.1\r\nhost: /);
    expect(seen[0]?.endsWith(bodies ? '\r\n\r\nping' : '\r\n\r\n')).toBe(true);
    expect(seen[1]).toMatch(/^< 1 HTTP\/1\.1 200\r\n/);
    expect(seen[1]?.endsWith(bodies ? '\r\n\r\npong' : '\r\n\r\n')).toBe(true);
  },
);

test.each([
  [false, '> 1 POST /REDACTED HTTP/1.1'],
  [true, '> 1 POST /x HTTP/1.1'],
])('a trace sees a target that is a secret where it shows those: %s', async (shows, first) => {
  const { port, requests } = await serving();
  const { trace, seen } = tracing(true, shows);
  const request = { ...post(port), isSecretTarget: true };
  await readWhole(await clientOf({ trace }).send(request, never), 100);
  expect(seen[0]?.split('\r\n')[0]).toBe(first);
  expect(requests[0]?.url).toBe('/x');
});

test('a trace sees that there was no answer', async () => {
  const { trace, seen } = tracing(true);
  const client = clientOf({ trace });
  await expect(client.send(post(1), never)).rejects.toMatchObject({ code: 'network' });
  expect(seen.map((line) => line.slice(0, 3))).toEqual(['> 1', '! 1']);
});

/** A SOCKS 5 proxy that leads every name here; what it was asked, by user. */
async function socksProxy(login?: string): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createTcpServer(async (socket) => {
    socket.on('error', () => undefined);
    const next = () => new Promise<Buffer>((resolve) => void socket.once('data', resolve));
    await next();
    socket.write(Buffer.from([5, login === undefined ? 0 : 2]));
    if (login !== undefined) {
      const given = await next();
      const user = given.subarray(2, 2 + (given[1] ?? 0)).toString();
      const isRight = `${user}:${given.subarray(3 + user.length)}` === login;
      socket.write(Buffer.from([1, isRight ? 0 : 1]));
      if (!isRight) {
        socket.end();
        return;
      }
    }
    const request = await next();
    const port = request.readUInt16BE(request.length - 2);
    const isName = request[3] === 3;
    asked.push(`${isName ? request.subarray(5, -2) : request.subarray(4, -2).join('.')}:${port}`);
    const onwards = connect(port, '127.0.0.1', () => {
      socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
      onwards.pipe(socket).pipe(onwards);
    });
    onwards.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, asked };
}

test.each([true, false])('requests go through a SOCKS proxy, TLS: %s', async (secure) => {
  const { port, requests } = await serving(secure);
  const socks = await socksProxy('me:p w');
  const proxy = readProxy('--http-proxy', `socks5://me:p%20w@127.0.0.1:${socks.port}`);
  const client = clientOf({ proxy });
  const far = post(port, secure);
  const origin = { ...far.origin, hostname: 'far.invalid' };
  for (let i = 0; i < 2; i++) {
    const answer = await client.send({ ...far, origin }, never);
    expect((await readWhole(answer, 100)).toString()).toBe('pong');
  }
  expect(socks.asked).toEqual([`far.invalid:${port}`]);
  expect(requests).toHaveLength(2);
});

test('a proxy that is down is named, and not the endpoint', async () => {
  const proxy = readProxy('--http-proxy', 'http://127.0.0.1:1');
  await expect(clientOf({ proxy }).send(post(9), never)).rejects.toThrow(
    'cannot connect to proxy 127.0.0.1:1 (connection refused); check --http-proxy, HTTP_PROXY',
  );
});

test('the certificate of the endpoint is not blamed on the proxy', async () => {
  const { port } = await serving(true);
  const socks = await socksProxy();
  const proxy = readProxy('--http-proxy', `socks5://127.0.0.1:${socks.port}`);
  const client = clientOf({ proxy }, { insecureTls: false });
  await expect(client.send(post(port, true), never)).rejects.toMatchObject({
    message: expect.stringMatching(`^cannot trust 127.0.0.1:${port}: its certificate is self-sign`),
    fault: 'authority',
  });
});

test('a proxy that does not respond has as much time as a connection', async () => {
  const mute = createTcpServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  closing.push(() => mute.close());
  const { port } = mute.address() as AddressInfo;
  const proxy = readProxy('--http-proxy', `http://127.0.0.1:${port}`);
  const client = clientOf({ proxy }, { connectTimeoutMs: 50, timeoutMs: 5000 });
  await expect(client.send(post(9, true), never)).rejects.toMatchObject({
    code: 'timed-out',
    message: `no connection to proxy 127.0.0.1:${port} within 0.05 s`,
  });
});

test('a SOCKS proxy that refuses the login is named', async () => {
  const socks = await socksProxy('me:right');
  const proxy = readProxy('--http-proxy', `socks5://me:wrong@127.0.0.1:${socks.port}`);
  await expect(clientOf({ proxy }).send(post(1), never)).rejects.toThrow(
    /the proxy 127\.0\.0\.1 refuses a connection to 127\.0\.0\.1:1 \(.*[Aa]uthentication/,
  );
});

test.each([true, false])(
  'an HTTP proxy that refuses the login is named, TLS: %s',
  async (secure) => {
    const refusing = createServer((_, answer) => answer.writeHead(407).end());
    refusing.on('connect', (_, socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'));
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    closing.push(() => refusing.close());
    const { port } = refusing.address() as AddressInfo;
    const proxy = readProxy('--http-proxy', `http://me:wrong@127.0.0.1:${port}`);
    const client = clientOf({ proxy });
    closing.push(() => refusing.closeAllConnections());
    await expect(client.send(post(9, secure), never)).rejects.toMatchObject({
      code: 'config',
      message: `the proxy 127.0.0.1:${port} refuses the login for requests to 127.0.0.1:9 (status 407)`,
      advice: 'check user and password in the address of the proxy',
    });
  },
);

test.each([
  ['http', 'HTTP/1.1 502 No\r\n\r\n', 'server', /refuses a tunnel to 127.0.0.1:9 \(status 502\)$/],
  [
    'http',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 502 No\r\n\r\n',
    'server',
    /refuses a tunnel to 127.0.0.1:9 \(status 502\)$/,
  ],
  [
    'http',
    'HTTP/1.1 403 No\r\n\r\n',
    'bad-answer',
    /refuses a tunnel to 127.0.0.1:9 \(status 403\)$/,
  ],
  ['http', 'HTP/9\r\n\r\n', 'bad-answer', /^proxy 127.0.0.1:\d+ does not speak HTTP/],
  ['socks5', '', 'network', /refuses a connection to 127.0.0.1:9 \(Socket closed\)$/],
  ['socks5', '\x04\x00', 'bad-answer', /refuses a connection to 127.0.0.1:9 \(.*invalid socks/],
])('only what may pass is tried again by %s proxies: %j', async (scheme, reply, code, message) => {
  const refusing = createTcpServer((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(reply));
  });
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
  closing.push(() => refusing.close());
  const { port } = refusing.address() as AddressInfo;
  const proxy = readProxy('--http-proxy', `${scheme}://127.0.0.1:${port}`);
  await expect(clientOf({ proxy }).send(post(9, true), never)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

test('the proxy of the flag is used for this machine, too, whatever NO_PROXY says', async () => {
  const { port, requests } = await serving();
  const proxy = readProxy('--http-proxy', `me:secret@127.0.0.1:${port}`);
  await readWhole(await clientOf({ proxy }).send(post(9), never), 100);
  expect(requests[0]?.url).toBe('http://127.0.0.1:9/x');
  expect(requests[0]?.headers['proxy-authorization']).toBe('Basic bWU6c2VjcmV0');
});
