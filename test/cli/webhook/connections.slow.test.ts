import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

let cwd: string;
const servers: WebhookServer[] = [];
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-connections-'));
});
afterEach(async () => {
  for (const server of servers) server.kill('SIGKILL');
  await Promise.all(servers.splice(0).map(({ ended }) => ended));
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

const text = (...words: string[]) => words.map((name) => ({ source: 'string', name }));
const shell = (id: string, script: string, more: object = {}) => ({
  ...{ id, 'execute-command': '/bin/sh', 'pass-arguments-to-command': text('-c', script) },
  ...more,
});
const value = (source: string, name: string, wanted: string) => ({
  'trigger-rule': { match: { type: 'value', value: wanted, parameter: { source, name } } },
});
const output = { 'include-command-output-in-response': true };
const MIXED = [
  shell('token', 'echo ran', { ...value('url', 'q', 'right'), ...output }),
  shell('payload', 'echo "$0"', { ...value('payload', 'a', 'b'), ...output }),
  shell('plain', 'true', { 'response-message': 'done' }),
  shell('stream', 'sleep 0.05; printf streamed', { 'stream-command-output': true }),
];

const start = async (hooks: object[], ...args: string[]) => {
  await writeFile(join(cwd, 'hooks.json'), JSON.stringify(hooks));
  const server = await startWebhook('ours', { cwd, args: ['-verbose', ...args] });
  servers.push(server);
  return server;
};
const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: h\r\n${more}\r\n`;
const post = (path: string, body: string, type = 'application/json') =>
  `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const LAST = 'Connection: close\r\n';

const CHUNKED =
  'POST /hooks/payload HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"a":"b"}\r\n0\r\n\r\n';
/** The client asks first whether the body is wanted. */
const EXPECTING = post('/hooks/payload', '{"a":"b"}').replace(
  '\r\n',
  '\r\nExpect: 100-continue\r\n',
);
const UPLOAD = [
  '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n',
  '--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nlong\r\n--x--\r\n',
].join('');
const REQUESTS = [
  get('/hooks/token?q=wrong'),
  get('/hooks/token?q=right'),
  get('/hooks/none'),
  post('/hooks/payload', '{"a":"c"}'),
  post('/hooks/payload', '{"a":"b"}'),
  get('/hooks/token?q=wrong'),
  CHUNKED,
  EXPECTING,
  post('/hooks/payload', UPLOAD, 'multipart/form-data; boundary=x'),
  post('/hooks/payload', `{"a":"b","long":"${'x'.repeat(2 << 20)}"}`),
  post('/nowhere', 'a body that nobody reads'),
  get('/hooks/stream'),
  get('/'),
  get('/hooks/token?q=wrong', LAST),
];

test('requests that come all at once are answered in their order, as each alone', async () => {
  const server = await start(MIXED);
  const shown = (answer: string) =>
    answer
      .replace(/(?:Date|X-Hook-Run|Connection): .*\r\n/g, '')
      .split(/(?=HTTP\/1\.1 )/)
      .filter((one) => !one.startsWith('HTTP/1.1 100'));
  const alone = REQUESTS.map((one) => one.replace('\r\n', `\r\n${LAST}`));
  const wanted: string[] = [];
  for (const one of alone) wanted.push(...shown(await server.exchange(one)));
  expect(wanted).toHaveLength(REQUESTS.length);
  expect(shown(await server.exchange(REQUESTS.join('')))).toEqual(wanted);
});

test('a request that comes byte by byte is answered', async () => {
  const { port } = await start(MIXED);
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let answer = '';
  socket.on('data', (piece) => {
    answer += piece;
  });
  const wanted = [get('/hooks/token?q=wrong'), post('/hooks/payload', '{"a":"b"}')].join('');
  for (const byte of wanted + get('/hooks/token?q=right', LAST)) {
    socket.write(byte);
    await new Promise(setImmediate);
  }
  await new Promise((resolve) => socket.once('close', resolve));
  expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(3);
  expect(answer).toMatch(/ran\n$/);
});

test('everything is counted and kept before it is told', async () => {
  const { exchange } = await start(MIXED, '-metrics', '-status', 'unix:status');
  const path = (n: number) => `/hooks/token?q=${n % 4 === 0 ? 'right' : 'wrong'}`;
  await Promise.all(Array.from({ length: 80 }, (_, n) => exchange(get(path(n), LAST))));
  const metrics = await exchange(get('/metrics', LAST));
  expect(metrics).toContain('webhook_requests_total{hook="token",status="200"} 80\n');
  expect(metrics).toContain('webhook_runs_total{hook="token",result="refused"} 60\n');
  expect(metrics).toContain('webhook_runs_total{hook="token",result="done"} 20\n');
  const status = await new Promise<string>((resolve) => {
    let seen = '';
    const socket = connect(join(cwd, 'status')).setEncoding('utf8');
    socket.on('data', (piece) => {
      seen += piece;
    });
    socket.on('close', () => resolve(seen));
    socket.write(get('/status', LAST));
  });
  expect(status.match(/"what": "value of url \\"q\\""/g)).toHaveLength(60);
});

test('a reload under load never misses a hook', async () => {
  const versioned = (version: number) => [
    shell('hook', 'true', { ...value('url', 'q', `${version}`) }),
  ];
  const server = await start(versioned(0));
  let asking = true;
  const clients = Array.from({ length: 12 }, async () => {
    const client = new Client(server.port);
    const statuses = new Set<string>();
    while (asking) statuses.add((await client.ask(get('/hooks/hook?q=no'))).slice(9, 12));
    client.socket.destroy();
    return statuses;
  });
  for (let version = 1; version <= 20; version++) {
    await writeFile(join(cwd, 'next.json'), '');
    await writeFile(join(cwd, 'hooks.json'), JSON.stringify(versioned(version)));
    server.kill('SIGHUP');
    await waitFor(() => server.seen.stderr.split('loaded: hook').length > version + 1);
  }
  const fresh = Array.from({ length: 8 }, () => server.exchange(get('/hooks/hook?q=20', LAST)));
  expect((await Promise.all(fresh)).map((answer) => answer.slice(9, 12))).toEqual(
    fresh.map(() => '200'),
  );
  await waitFor(() => server.seen.stderr.split('triggered successfully').length === 9);
  asking = false;
  for (const statuses of await Promise.all(clients)) expect([...statuses]).toEqual(['200']);
});

test('TERM under load cuts no answer off, and waits for those that are under way', async () => {
  const held = shell(
    'held',
    'echo on; while [ -d "$PWD" ] && [ ! -e go ]; do sleep 0.02; done; echo over',
    output,
  );
  const server = await start([...MIXED, held]);
  const ended = Array.from({ length: 9 }, async () => {
    const client = new Client(server.port);
    while ((await client.ask(get('/hooks/token?q=wrong'))) !== '');
    return client.rest;
  });
  const last = Promise.all([1, 2, 3].map(() => server.exchange(get('/hooks/held', LAST))));
  await waitFor(() => server.seen.stderr.split('executing /bin/sh').length > 3);
  server.kill('SIGTERM');
  await waitFor(() => server.seen.stderr.includes('exiting'));
  expect(await Promise.all(ended)).toEqual(ended.map(() => ''));
  await writeFile(join(cwd, 'go'), '');
  for (const answer of await last) expect(answer).toMatch(/\r\n\r\non\nover\n$/);
  expect(await server.ended).toBe(0);
});

test('a connection that was closed makes room for another one', async () => {
  const { port } = await start(MIXED, '-max-connections', '5');
  // One that was closed just now may count for a moment.
  const connected = async () => {
    for (;;) {
      const client = new Client(port);
      if ((await client.ask(get('/'))).endsWith('OK')) return client;
    }
  };
  const clients: Client[] = [];
  while (clients.length < 5) clients.push(await connected());
  for (let tries = 0; tries < 5; tries++) expect(await new Client(port).ask(get('/'))).toBe('');
  clients.pop()?.socket.destroy();
  clients.push(await connected());
  for (const { socket } of clients) socket.destroy();
});

/** A connection on which one request after the other is sent. */
class Client {
  readonly socket: Socket;
  /** What came of an answer that was cut off. */
  rest = '';
  #closed = false;
  #wake = () => {};

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1').setEncoding('latin1');
    this.socket.on('data', (piece) => {
      this.rest += piece;
      this.#wake();
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
  }

  /** The answer; empty where the connection was closed before it began. */
  async ask(request: string): Promise<string> {
    this.socket.write(request);
    for (;;) {
      const end = this.rest.indexOf('\r\n\r\n') + 4;
      const length = /\r\nContent-Length: (\d+)/.exec(this.rest)?.[1];
      if (end >= 4 && length !== undefined && this.rest.length >= end + Number(length)) {
        const answer = this.rest.slice(0, end + Number(length));
        this.rest = this.rest.slice(answer.length);
        return answer;
      }
      if (this.#closed) return '';
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
