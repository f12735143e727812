import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { bodyAsStream, readWhole } from '../../../../src/backends/http/answer.ts';
import { HttpClient } from '../../../../src/backends/http/http-client.ts';
import type { HttpRequest } from '../../../../src/backends/http/http-request.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { SELF_SIGNED_CERTIFICATE, SELF_SIGNED_KEY } from '../../../support/self-signed.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const never = new AbortController().signal;

function clientOf({ idleMs = 0, connectMs = 0 } = {}): HttpClient {
  const network = { connectTimeoutMs: connectMs, timeoutMs: idleMs, insecureTls: false, env: {} };
  const client = new HttpClient(network, systemClock);
  closing.push(() => client.close());
  return client;
}

async function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

async function serve(listener: RequestListener): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer(listener).on('connection', (socket) => sockets.add(socket));
  closing.push(() => server.closeAllConnections());
  return { port: await listening(server), sockets };
}

/** A server that says these bytes to every connection that says something. */
async function saying(answer: (socket: Socket) => void): Promise<number> {
  const open = new Set<Socket>();
  const server = createTcpServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined).once('data', () => answer(socket));
  });
  closing.push(() => open.forEach((socket) => void socket.destroy()));
  return listening(server);
}

function to(port: number, request: Partial<HttpRequest> = {}): HttpRequest {
  const origin = { secure: false, hostname: '127.0.0.1', port, host: `127.0.0.1:${port}` };
  const base = { method: 'GET', origin, target: '/', body: undefined, asksFirst: false };
  const headers = { host: origin.host, ...request.headers };
  return { ...base, ...request, headers };
}

test('bodies of any size go both ways over one connection', async () => {
  const { port, sockets } = await serve((incoming, outgoing) => incoming.pipe(outgoing));
  const client = clientOf();
  for (const size of [0, 1, 4096, 65_536, 65_537, 3_000_000]) {
    const body = Buffer.alloc(size, 'content');
    const headers = { 'content-length': String(size) };
    const whole = await client.send(to(port, { method: 'PUT', headers, body }), never);
    expect((await readWhole(whole, 1e9)).equals(body)).toBe(true);
    const stream = Readable.from([body.subarray(0, 10), body.subarray(10)]);
    const streamed = await client.send(to(port, { method: 'PUT', headers, body: stream }), never);
    const chunks = await bodyAsStream(streamed, size).toArray();
    expect(Buffer.concat(chunks).equals(body)).toBe(true);
  }
  expect(sockets.size).toBe(1);
});

test('values are sent in UTF-8, and none can begin another header', async () => {
  const { port } = await serve((incoming, outgoing) => {
    outgoing.end(Buffer.from(String(incoming.headers['x-name']), 'latin1'));
  });
  const client = clientOf();
  const answer = await client.send(to(port, { headers: { 'x-name': 'ü☃' } }), never);
  expect((await readWhole(answer, 100)).toString()).toBe('ü☃');
  for (const value of ['a\r\nevil: b', 'a\nb', 'a\0']) {
    const sending = client.send(to(port, { headers: { 'x-name': value } }), never);
    await expect(sending).rejects.toMatchObject({ code: 'unsupported' });
  }
});

test('a reader that waits holds the server back, and gets all in the end', async () => {
  const size = 30_000_000;
  let sent = 0;
  const { port } = await serve((_incoming, outgoing) => {
    const chunk = Buffer.alloc(100_000, 'x');
    const more = () => {
      while (sent < size) {
        sent += chunk.length;
        if (!outgoing.write(chunk)) return void outgoing.once('drain', more);
      }
      outgoing.end();
    };
    more();
  });
  const body = bodyAsStream(await clientOf({ idleMs: 200 }).send(to(port), never), size);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(sent).toBeLessThan(size);
  let got = 0;
  for await (const chunk of body) got += chunk.length;
  expect(got).toBe(size);
});

describe('what goes wrong', () => {
  test('nothing listens', async () => {
    const port = await saying(() => undefined);
    await closing.pop()?.();
    await expect(clientOf().send(to(port), never)).rejects.toMatchObject({
      code: 'network',
      message: expect.stringContaining('connection refused'),
    });
  });

  test.each([
    ['an answer cut in its head', 'HTTP/1.1 200 OK\r\ncontent-', 'network'],
    ['no answer', '', 'network'],
    ['another protocol', 'SSH-2.0-x\r\n', 'bad-answer'],
  ])('%s', async (_what, text, code) => {
    const port = await saying((socket) => socket.end(text));
    await expect(clientOf().send(to(port), never)).rejects.toMatchObject({ code });
  });

  test.each([
    'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nshort\r\n',
  ])('a body that breaks off: %j', async (text) => {
    const port = await saying((socket) => socket.end(text));
    const client = clientOf();
    const whole = readWhole(await client.send(to(port), never), 100);
    await expect(whole).rejects.toMatchObject({ code: 'body-cut' });
    const stream = bodyAsStream(await client.send(to(port), never));
    await expect(stream.toArray()).rejects.toMatchObject({ code: 'body-cut' });
  });

  test('a body of another length than was expected, or larger than allowed', async () => {
    const { port } = await serve((_incoming, outgoing) => outgoing.end('content'));
    const client = clientOf();
    const short = readWhole(await client.send(to(port), never), 100, 8);
    await expect(short).rejects.toMatchObject({ code: 'body-cut' });
    const large = readWhole(await client.send(to(port), never), 6);
    await expect(large).rejects.toMatchObject({ code: 'bad-answer' });
    expect(String(await readWhole(await client.send(to(port), never), 7))).toBe('content');
  });

  test('silence before the answer, and in mid-body', async () => {
    const port = await saying(() => undefined);
    const timedOut = { code: 'timed-out', message: expect.stringContaining('no data from') };
    await expect(clientOf({ idleMs: 50 }).send(to(port), never)).rejects.toMatchObject(timedOut);
    const half = await saying((socket) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nh'),
    );
    const answer = await clientOf({ idleMs: 50 }).send(to(half), never);
    await expect(readWhole(answer, 100)).rejects.toMatchObject(timedOut);
  });

  test('an abort ends the wait, the body, and nothing else', async () => {
    const { port } = await serve((incoming, outgoing) => {
      if (incoming.url === '/body') outgoing.write('begin');
      if (incoming.url === '/fine') outgoing.end('fine');
    });
    const client = clientOf();
    const reason = new Error('enough');
    for (const target of ['/wait', '/body']) {
      const controller = new AbortController();
      const sending = client.send(to(port, { target }), controller.signal);
      const reading = target === '/wait' ? sending : sending.then((answer) => readWhole(answer, 9));
      setTimeout(() => controller.abort(reason), 50);
      await expect(reading).rejects.toBe(reason);
    }
    const fine = await client.send(to(port, { target: '/fine' }), never);
    expect(String(await readWhole(fine, 9))).toBe('fine');
  });

  test('a source that breaks off, or is shorter than promised', async () => {
    const { port } = await serve((incoming, outgoing) =>
      incoming.resume().on('end', () => outgoing.end()),
    );
    const headers = { 'content-length': '10' };
    const client = clientOf();
    const short = { method: 'PUT', headers, body: Readable.from([Buffer.from('short')]) };
    await expect(client.send(to(port, short), never)).rejects.toMatchObject({ code: 'body-cut' });
    const body = new Readable({ read: () => void body.destroy(new Error('disk broke')) });
    const broken = { method: 'PUT', headers, body };
    await expect(client.send(to(port, broken), never)).rejects.toThrow(/disk broke/);
  });
});

test('a connection that the server closed while it lay idle is told apart', async () => {
  const { port, sockets } = await serve((_incoming, outgoing) => outgoing.end('x'));
  const client = clientOf();
  await readWhole(await client.send(to(port), never), 9);
  for (const socket of sockets) socket.destroy();
  // Whether or not the client has noticed yet, the request succeeds or may be sent again at once.
  const outcome = await client.send(to(port), never).then(
    (answer) => answer.status,
    (error) => error.constructor.name,
  );
  expect([200, 'StaleConnection']).toContain(outcome);
});

test('a body is sent only when the server agrees, and not when it refuses', async () => {
  let got = 0;
  const server = createServer((incoming, outgoing) => {
    incoming.on('data', (chunk) => {
      got += chunk.length;
    });
    incoming.on('end', () => outgoing.end('taken'));
  });
  server.on('checkContinue', (incoming, outgoing) => {
    if (incoming.url === '/no') outgoing.writeHead(403).end('refused');
    else {
      outgoing.writeContinue();
      server.emit('request', incoming, outgoing);
    }
  });
  closing.push(() => server.closeAllConnections());
  const port = await listening(server);
  const client = clientOf();
  const put = (target: string) => {
    const headers = { 'content-length': '7' };
    const body = Buffer.from('content');
    return client.send(to(port, { method: 'PUT', target, headers, body, asksFirst: true }), never);
  };
  const refused = await put('/no');
  expect([refused.status, String(await readWhole(refused, 99)), got]).toEqual([403, 'refused', 0]);
  expect(String(await readWhole(await put('/yes'), 99))).toBe('taken');
  expect(got).toBe(7);
});

test('a server that says nothing to a TLS handshake is given up', async () => {
  const port = await saying(() => undefined);
  const origin = { secure: true, hostname: '127.0.0.1', port, host: `127.0.0.1:${port}` };
  await expect(clientOf({ idleMs: 50 }).send(to(port, { origin }), never)).rejects.toMatchObject({
    code: 'timed-out',
    message: expect.stringContaining('no data from'),
  });
  const late = clientOf({ connectMs: 50 }).send(to(port, { origin }), never);
  await expect(late).rejects.toMatchObject({
    code: 'timed-out',
    message: expect.stringContaining('no connection to'),
  });
});

test('HEAD requests of one turn that are aborted before they are written are not sent', async () => {
  const seen: string[] = [];
  const { port } = await serve((incoming, outgoing) => {
    seen.push(incoming.url ?? '');
    outgoing.end();
  });
  const client = clientOf();
  const head = (target: string, signal = never) =>
    client.send(to(port, { method: 'HEAD', target }), signal);
  const answered = async (answers: readonly ReturnType<typeof head>[]) => {
    for (const answer of await Promise.all(answers)) await readWhole(answer, 0);
  };
  const names = Array.from({ length: 40 }, (_, index) => `/first-${index}`);
  await answered(names.map((name) => head(name)));
  expect(seen.toSorted()).toEqual(names.toSorted());
  seen.length = 0;
  const controller = new AbortController();
  const reason = new Error('enough');
  const [kept, ...aborted] = ['/kept', '/a', '/b'].map((name) =>
    head(name, name === '/kept' ? never : controller.signal),
  );
  // They have their connections now, and wait for the end of the turn.
  for (let step = 0; step < 10; step++) await Promise.resolve();
  controller.abort(reason);
  for (const each of aborted) await expect(each).rejects.toBe(reason);
  await answered(kept === undefined ? [] : [kept]);
  await answered([head('/last')]);
  expect(seen).toEqual(['/kept', '/last']);
});

test('a body that breaks before anybody reads it tells whoever reads it then', async () => {
  const size = 1_000_000;
  const { port } = await serve((_, response) => {
    response.writeHead(200, { 'content-length': size });
    response.write(Buffer.alloc(1000));
  });
  const controller = new AbortController();
  const body = bodyAsStream(await clientOf().send(to(port), controller.signal), size);
  const reason = new Error('interrupted');
  controller.abort(reason);
  await expect.poll(() => body.closed).toBe(true);
  await expect(body.toArray()).rejects.toBe(reason);
});

test('requests beyond --max-connections wait for the response of another one, not for its body', async () => {
  let most = 0;
  let waiting = 0;
  const { port } = await serve((_, response) => {
    most = Math.max(most, ++waiting);
    setImmediate(() => {
      waiting--;
      response.end('x');
    });
  });
  let free = 2;
  const turns: (() => void)[] = [];
  const network = {
    ...{ connectTimeoutMs: 0, timeoutMs: 0, insecureTls: false, env: {} },
    takeSlot: async () => {
      while (free === 0) await new Promise<void>((resolve) => turns.push(resolve));
      free--;
      return () => {
        free++;
        turns.shift()?.();
      };
    },
  };
  const client = new HttpClient(network, systemClock);
  closing.push(() => client.close());
  const answers = await Promise.all(Array.from({ length: 9 }, () => client.send(to(port), never)));
  expect([answers.length, most <= 2, free]).toEqual([9, true, 2]);
});

test("an authority of the machine's own store is trusted, also by requests that were refused at the same time", async () => {
  const server = createTlsServer(
    { cert: SELF_SIGNED_CERTIFICATE, key: SELF_SIGNED_KEY },
    (_, outgoing) => outgoing.end('hello'),
  );
  const port = await listening(server);
  const dir = await mkdtemp(join(tmpdir(), 'store-'));
  closing.push(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, 'store.pem'), SELF_SIGNED_CERTIFICATE);
  const client = JSON.stringify(
    join(import.meta.dirname, '../../../../src/backends/http/http-client.ts'),
  );
  const script = `
    import { HttpClient } from ${client};
    const network = { connectTimeoutMs: 0, timeoutMs: 0, insecureTls: false, env: {} };
    const http = new HttpClient(network, { monotonic: () => performance.now() });
    const origin = { secure: true, hostname: '127.0.0.1', port: ${port}, host: '127.0.0.1:${port}' };
    const request = { method: 'GET', origin, target: '/', headers: { host: origin.host }, asksFirst: false };
    const ask = () => http.send(request, new AbortController().signal).then((answer) => answer.status, String);
    process.stdout.write((await Promise.all([ask(), ask(), ask()])).join());
    process.exit();`;
  const env = { ...process.env, SSL_CERT_FILE: join(dir, 'store.pem') };
  const args = ['--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  expect(stdout).toBe('200,200,200');
});
