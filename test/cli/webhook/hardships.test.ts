import { execFile, execFileSync } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { someOf } from '../../support/in-part.ts';
import { waitFor } from '../../support/wait-for.ts';
import { startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

let cwd: string;
let server: WebhookServer | undefined;
const undo: (() => unknown)[] = [];
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-hardships-'));
});
afterEach(async () => {
  server?.kill('SIGKILL');
  await server?.ended;
  server = undefined;
  for (const step of undo.splice(0).reverse()) await step();
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

const start = async (hooks: unknown, args: string[] = [], env: Record<string, string> = {}) => {
  await writeFile(join(cwd, 'hooks.json'), JSON.stringify(hooks));
  server = await startWebhook('ours', { cwd, args, env });
  return server;
};
const get = (running: WebhookServer, path: string, body = '') =>
  running.exchange(`POST ${path} HTTP/1.0\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
const simple = { id: 'a', 'execute-command': 'true', 'response-message': 'here' };

/** As many connections as this process may have, up to ten thousand. */
async function crowd(port: number, greet: string): Promise<Socket[]> {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const most = Number(/Max open files\s+(\d+)/.exec(limits)?.[1]);
  const sockets: Socket[] = [];
  undo.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  const count = Math.min(10_000, most - 500);
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(200, count - sockets.length) }, () => {
      const socket = connect(port, '127.0.0.1').on('error', () => {});
      return new Promise<Socket>((resolve) => socket.once('connect', () => resolve(socket)));
    });
    const opened = await Promise.all(some);
    for (const socket of opened) socket.write(greet);
    sockets.push(...opened);
  }
  return sockets;
}

test.each(someOf(['SIGHUP', 'SIGUSR1'], 1))(
  '%s during the start does not end the server',
  async (signal) => {
    const preload = join(cwd, 'preload.cjs');
    await writeFile(
      preload,
      `const { Server } = require('node:net');
    const { listen } = Server.prototype;
    Server.prototype.listen = function (...args) {
      process.kill(process.pid, '${signal}');
      return listen.apply(this, args);
    };`,
    );
    const running = await start([simple], ['-hotreload'], { NODE_OPTIONS: `--require ${preload}` });
    expect(await get(running, '/hooks/a')).toMatch(/here$/);
    expect(running.seen.stderr).toBe('');
  },
);

const CROWDS = [
  ['that say nothing', ''],
  ['that stop in the middle of a head', 'GET /hooks/a HTTP/1.1\r\nHost: '],
  [
    'that stop in the middle of a body',
    'POST /hooks/a HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\nx',
  ],
  ['that have been answered', 'GET /hooks/nope HTTP/1.1\r\nHost: h\r\n\r\n'],
] as const;

test.each(someOf(CROWDS, 1))('10,000 connections %s do not hold others up', async (_, greet) => {
  const running = await start([simple]);
  const sockets = await crowd(running.port, greet);
  expect(await get(running, '/hooks/a')).toMatch(/here$/);
  expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(0);
});

test('more connections than -max-connections are closed', async () => {
  const running = await start([simple], ['-max-connections', '3']);
  const sockets = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const socket = connect(running.port, '127.0.0.1').on('error', () => {});
      undo.push(() => socket.destroy());
      return socket;
    }),
  );
  await waitFor(() => sockets.filter(({ closed }) => closed).length === 2);
  for (const socket of sockets) socket.destroy();
  let answer = '';
  while (!answer.endsWith('here')) answer = await get(running, '/hooks/a').catch(() => '');
});

test('a log that cannot be written does not stop the answering', async () => {
  const running = await start([simple], ['-debug', '-logfile', '/dev/full']);
  for (let i = 0; i < 5; i++)
    expect(await get(running, '/hooks/a', 'x'.repeat(2000))).toMatch(/here$/);
});

const LONG = `/hooks/a?${'y'.repeat(200)}`;

test('a log file that is a named pipe nobody reads does not stop the answering', async () => {
  const pipe = join(cwd, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = await open(pipe, constants.O_RDWR);
  undo.push(() => reader.close());
  const running = await start([simple], ['-logfile', pipe]);
  for (let i = 0; i < 300; i++) expect(await get(running, LONG)).toMatch(/here$/);
  const all = execFile('sed', ['/exiting/q', pipe], { maxBuffer: 10 << 20 });
  const seen = all.stdout === null ? '' : text(all.stdout);
  running.kill('SIGTERM');
  expect((await seen).match(/incoming HTTP/g)).toHaveLength(300);
});

describe('the log file', () => {
  test('is opened again on SIGUSR1 if Node blocks the signal, so that it opens no debugger', async () => {
    const log = join(cwd, 'log');
    const closed = { NODE_OPTIONS: '--disable-sigusr1' };
    const running = await start([simple], ['-logfile', log], closed);
    await rename(log, `${log}.1`);
    running.kill('SIGUSR1');
    await waitFor(() => existsSync(log), running.ended);
    expect(await readFile(log, 'utf8')).toContain('caught USR1 signal');
  });

  test.each(['SIGHUP', 'SIGUSR1'] as const)('is opened again on %s', async (signal) => {
    const log = join(cwd, 'log');
    const running = await start([simple], ['-logfile', log]);
    await rename(log, `${log}.1`);
    running.kill(signal);
    await waitFor(() => existsSync(log));
    await get(running, '/hooks/a?two');
    expect(await readFile(log, 'utf8')).toMatch(/caught \w+ signal\n[\s\S]*\?two/);
    expect(await readFile(`${log}.1`, 'utf8')).not.toContain('caught');
  });

  test('continues in the old one if it cannot be opened again', async () => {
    await mkdir(join(cwd, 'logs'));
    const log = join(cwd, 'logs/log');
    const running = await start([simple], ['-logfile', log]);
    await rename(join(cwd, 'logs'), join(cwd, 'old'));
    running.kill('SIGHUP');
    await waitFor(() => running.seen.stderr.includes('error opening log file'));
    await get(running, '/hooks/a?two');
    expect(await readFile(join(cwd, 'old/log'), 'utf8')).toMatch(
      /error opening log file "\S+": open \S+: no such file or directory; the log continues in the file that is open\n[\s\S]*\?two/,
    );
  });
});

test('a full disk under files for a command: it runs, and no part of a file stays', async ({
  skip,
}) => {
  const full = join(cwd, 'full');
  await mkdir(full);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', full], { stdio: 'ignore' });
  } catch {
    skip('this needs the right to mount');
  }
  undo.push(() => execFileSync('umount', ['-l', full]));
  const hook = {
    id: 'file',
    'execute-command': '/bin/sh',
    'pass-arguments-to-command': ['-c', 'echo "<$BODY>"'].map((name) => ({
      source: 'string',
      name,
    })),
    'pass-file-to-command': [{ source: 'raw-request-body', envname: 'BODY' }],
    'include-command-output-in-response': true,
  };
  const running = await start([hook], ['-verbose'], { TMPDIR: full });
  expect(await get(running, '/hooks/file', 'x'.repeat(100_000))).toMatch(/<>\n$/);
  expect(running.seen.stderr).toMatch(/error creating temp file \[open \S+: .*(no space|ENOSPC)/);
  expect(await readdir(full)).toEqual([]);
  expect(await get(running, '/hooks/file', 'fits')).toMatch(/<\/.*BODY\d+>\n$/);
  await waitFor(() => running.seen.stderr.split('finished handling').length > 2);
  expect(await readdir(full)).toEqual([]);
});

test('nonsense on connections, and after it an answer', async () => {
  const running = await start([simple]);
  const nonsense = [
    ...['\0\0\0\0\r\n\r\n', 'GET\r\n\r\n', '\r\n'.repeat(5000), 'GET / HTTP/9.9\r\n\r\n'],
    'POST /hooks/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n',
    'POST /hooks/a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef',
    `GET /${'%41'.repeat(200_000)} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`,
    `POST /hooks/a HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n${'['.repeat(200_000)}`,
    `POST /hooks/a HTTP/1.0\r\nContent-Type: text/xml\r\nContent-Length: 300000\r\n\r\n${'<a>'.repeat(100_000)}`,
  ];
  for (const text of nonsense) {
    const socket = connect(running.port, '127.0.0.1').on('error', () => {});
    socket.end(text);
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    expect(await get(running, '/hooks/a')).toMatch(/here$/);
  }
});

const PLACES: readonly (readonly [place: string, parameters: object])[] = [
  ['arguments', { 'pass-arguments-to-command': [{ source: 'entire-payload' }] }],
  ['variables', { 'pass-environment-to-command': [{ source: 'payload', name: 'a' }] }],
  ['files', { 'pass-file-to-command': [{ source: 'payload', name: 'a', envname: 'A' }] }],
];

test.each(someOf(PLACES, 1))(
  'XML that nests very deeply among the %s does not end the server',
  async (_, parameters) => {
    const deep = {
      ...simple,
      id: 'deep',
      'include-command-output-in-response': true,
      ...parameters,
    };
    const running = await start([simple, deep]);
    const body = `${'<a>'.repeat(3000)}${'</a>'.repeat(3000)}`;
    const head = `Content-Type: text/xml\r\nContent-Length: ${body.length}`;
    const answer = await running.exchange(`POST /hooks/deep HTTP/1.0\r\n${head}\r\n\r\n${body}`);
    expect(answer).toContain(' 200 OK');
    expect(await get(running, '/hooks/a')).toMatch(/here$/);
  },
);
