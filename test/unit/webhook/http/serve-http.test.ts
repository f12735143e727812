import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { textAnswer } from '../../../../src/webhook/http/answer.ts';
import {
  Activity,
  type RequestHandler,
  serveHttp,
} from '../../../../src/webhook/http/connection.ts';

let server: Server;
let activity: Activity;
let handle: RequestHandler;
let faults: unknown[];
beforeEach(async () => {
  activity = new Activity();
  faults = [];
  handle = async () => textAnswer(200, 'answered');
  const limits = {
    ...{ maxHeadBytes: 1000, headTimeoutMs: 300, idleTimeoutMs: 600, activity },
    onFault: (thrown: unknown) => void faults.push(thrown),
  };
  const take = serveHttp((request) => handle(request), limits);
  server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, take);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => new Promise((resolve) => server.close(resolve)));

/** Connects and collects what comes until the connection is gone. */
function open(): { socket: Socket; all: Promise<string> } {
  const address = server.address() as { port: number };
  const socket = connect({ port: address.port, host: '127.0.0.1', allowHalfOpen: true });
  let seen = '';
  socket.setEncoding('latin1').on('data', (piece) => {
    seen += piece;
  });
  socket.on('error', () => {});
  socket.on('end', () => socket.end());
  const all = new Promise<string>((resolve) => socket.once('close', () => resolve(seen)));
  return { socket, all };
}

const HEAD = 'GET / HTTP/1.1\r\nHost: h\r\n';

test('a client that sends nothing is let go', async () => {
  expect(await open().all).toBe('');
});

test('a client that sends its head letter by letter is let go', async () => {
  const { socket, all } = open();
  socket.write('GET /');
  const timer = setInterval(() => socket.write('x'), 20);
  expect(await all).toBe('');
  clearInterval(timer);
});

test('a client that stops in the middle of its body is let go', async () => {
  handle = async ({ body }) => textAnswer(200, String(await body.readAll(100)));
  const { socket, all } = open();
  socket.write(`${HEAD}Content-Length: 10\r\n\r\nabc`);
  expect(await all).not.toContain('200');
  while (activity.busy > 0) await new Promise(setImmediate);
});

test('a client that waits for a slow answer is not let go', async () => {
  handle = () => new Promise((resolve) => setTimeout(resolve, 1500, textAnswer(200, 'late')));
  const { socket, all } = open();
  socket.write(`${HEAD}Connection: close\r\n\r\n`);
  expect(await all).toMatch(/late$/);
});

test('a client is not let go while its request is answered, whose body was not read to its end', async () => {
  handle = async ({ body }) => {
    for await (const _ of body) break;
    return await new Promise((resolve) => setTimeout(resolve, 1500, textAnswer(200, 'late')));
  };
  const { socket, all } = open();
  socket.write(`${HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n`);
  while (activity.busy === 0) await new Promise(setImmediate);
  setTimeout(() => socket.write('1\r\nb\r\n0\r\n\r\n'), 50);
  expect(await all).toMatch(/late$/);
});

test('a client that sends its head letter by letter behind a slow request is let go', async () => {
  handle = () => new Promise((resolve) => setTimeout(resolve, 700, textAnswer(200, 'late')));
  const { socket, all } = open();
  socket.write(`${HEAD}\r\nGET /`);
  const timer = setInterval(() => socket.write('x'), 20);
  expect(await all).toMatch(/late$/);
  clearInterval(timer);
});

test('a client that reads nothing of a long answer is let go', async () => {
  handle = async () => textAnswer(200, 'x'.repeat(50 << 20));
  const { socket, all } = open();
  socket.pause();
  socket.write(`${HEAD}\r\n`);
  while (activity.busy === 0) await new Promise(setImmediate);
  while (activity.busy > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  socket.resume();
  expect((await all).length).toBeLessThan(50 << 20);
});

test('a head in pieces, two requests at once and a line break between them', async () => {
  const { socket, all } = open();
  socket.write(HEAD.slice(0, 9));
  await new Promise((resolve) => setTimeout(resolve, 30));
  socket.write(`${HEAD.slice(9)}\r\n\r\n${HEAD}Connection: close\r\n\r\n`);
  expect((await all).match(/answered/g)).toHaveLength(2);
});

test('a head that is too large is refused, in one piece and in many', async () => {
  for (const size of [1, 500, 5000]) {
    const { socket, all } = open();
    const text = `${HEAD}X: ${'x'.repeat(3000)}\r\n\r\n`;
    for (let at = 0; at < text.length; at += size) socket.write(text.slice(at, at + size));
    expect(await all).toMatch(/^HTTP\/1\.1 431 |^$/);
  }
});

test('many short headers are too large a head', async () => {
  const { socket, all } = open();
  socket.write(`${HEAD}${'a:\r\n'.repeat(300)}\r\n`);
  expect(await all).toMatch(/^HTTP\/1\.1 431 /);
});

test('an Expect without a body ends the connection, and what follows is not run', async () => {
  let begun = 0;
  handle = async () => textAnswer(200, `answered ${++begun}`);
  const { socket, all } = open();
  const expecting = 'POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n';
  socket.write(`${expecting}Content-Length: 0\r\n\r\n${HEAD}\r\n`);
  expect(await all).toMatch(/\r\nConnection: close\r\n.*answered 1$/s);
  expect(begun).toBe(1);
});

const POST = 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nok';
const BROKEN = 'POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nbroken';

test.each([
  ['nonsense', 'nonsense\r\n\r\n', ['ok']],
  ['a broken body', BROKEN, ['ok', 'malformed request']],
  ['a body that is cut off', POST.slice(0, -1), ['ok', 'malformed request']],
])('a request is answered when %s follows it', async (_, next, expected) => {
  const seen: string[] = [];
  handle = async ({ body }) => {
    const read = await body.readAll(100).catch((thrown: Error) => thrown.message);
    seen.push(String(read));
    return textAnswer(200, 'answered');
  };
  const { socket, all } = open();
  socket.end(`${POST}${next}`);
  expect(await all).toMatch(/^HTTP\/1\.1 200 OK\r\n.*answered/s);
  expect(seen).toEqual(expected);
  expect(activity.busy).toBe(0);
});

test('requests behind a slow one wait, and are not begun when the client has left', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  let begun = 0;
  handle = async () => {
    begun++;
    await held;
    return textAnswer(200, 'answered');
  };
  const { socket } = open();
  socket.write(`${HEAD}\r\n`.repeat(50));
  while (activity.busy === 0) await new Promise(setImmediate);
  expect(begun).toBe(1);
  socket.resetAndDestroy();
  await new Promise((resolve) => setTimeout(resolve, 50));
  release();
  while (activity.busy > 0) await new Promise(setImmediate);
  expect(begun).toBeLessThan(50);
});

test('a client that still sends when it is refused reads why', async () => {
  handle = async () => textAnswer(413, 'too long');
  const { socket, all } = open();
  socket.write(`${HEAD}Content-Length: 9000000\r\n\r\n`);
  const timer = setInterval(() => socket.write(Buffer.alloc(100_000)), 10);
  expect(await all).toMatch(/^HTTP\/1\.1 413 .*\r\nConnection: close\r\n.*too long$/s);
  clearInterval(timer);
});

test('when the server stops a connection ends after its answer', async () => {
  const { socket, all } = open();
  activity.stopping = true;
  socket.write(`${HEAD}\r\n`);
  expect(await all).toMatch(/\r\nConnection: close\r\n.*answered$/s);
});

test('an answer that is made piece by piece', async () => {
  handle = async () => ({
    ...textAnswer(200, 'one'),
    rest: (async function* () {
      yield Buffer.from('two');
      yield Buffer.alloc(0);
      yield Buffer.from('three');
    })(),
  });
  const { socket, all } = open();
  socket.write(`${HEAD}\r\nHEAD / HTTP/1.1\r\nHost: h\r\n\r\nGET / HTTP/1.0\r\n\r\n`);
  const [first, head, last] = (await all).split(/(?=HTTP\/1\.[01] 200)/);
  expect(first).toMatch(/chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n5\r\nthree\r\n0\r\n\r\n$/);
  expect(head).toMatch(/\r\n\r\n$/);
  expect(last).toMatch(/^HTTP\/1\.0 .*\r\n\r\nonetwothree$/s);
  expect(last).not.toContain('Content-Length');
});

test.each([
  ['a request', async () => Promise.reject(new RangeError('too deep'))],
  [
    'the rest of an answer',
    async () => ({
      ...textAnswer(200, 'begun'),
      // biome-ignore lint/correctness/useYield: it fails before it gives anything
      rest: (async function* () {
        throw new RangeError('too deep');
      })(),
    }),
  ],
] satisfies [string, RequestHandler][])(
  'what %s throws ends its connection and no other',
  async (_, handler) => {
    handle = handler;
    const { socket, all } = open();
    socket.write(`${HEAD}\r\n`);
    expect(await all).not.toContain('\r\n0\r\n');
    expect(faults).toEqual([new RangeError('too deep')]);
    expect(activity.busy).toBe(0);
    handle = async () => textAnswer(200, 'answered');
    const next = open();
    next.socket.write(`${HEAD}Connection: close\r\n\r\n`);
    expect(await next.all).toContain('answered');
  },
);
