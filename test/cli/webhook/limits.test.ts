import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { startWebhook, type WebhookServer } from '../../support/webhook-beside.ts';

let cwd: string;
let server: WebhookServer | undefined;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webhook-limits-'));
});
afterEach(async () => {
  server?.kill('SIGKILL');
  await server?.ended;
  server = undefined;
  await rm(cwd, { recursive: true, force: true, maxRetries: 5 });
});

const shell = (id: string, script: string, more: object = {}) => ({
  id,
  'execute-command': '/bin/sh',
  'pass-arguments-to-command': [
    { source: 'string', name: '-c' },
    { source: 'string', name: script },
    { source: 'string', name: id },
    { source: 'url', name: 'n' },
  ],
  'response-message': 'taken',
  ...more,
});
const start = async (hooks: object[], ...args: string[]) => {
  await writeFile(join(cwd, 'hooks.json'), JSON.stringify(hooks));
  server = await startWebhook('ours', { cwd, args: ['-verbose', ...args] });
  return server;
};
const ask = (running: WebhookServer, path: string) =>
  running.exchange(`GET /hooks/${path} HTTP/1.0\r\n\r\n`);
const written = async (name: string) =>
  (await readFile(join(cwd, name), 'utf8').catch(() => '')).split('\n').slice(0, -1);
/** Waits until so many have begun, and gives what they said. */
const begun = async (count: number) => {
  let lines: string[] = [];
  while (lines.length < count) {
    lines = await written('begun');
    await new Promise(setImmediate);
  }
  return lines;
};
const release = () => writeFile(join(cwd, 'go'), '');
/** Says that it has begun, and ends when it may. */
const HELD =
  'echo $1 >> begun; while [ -d "$PWD" ] && [ ! -e go ]; do sleep 0.02; done; echo $1 >> over';
const finished = async (running: WebhookServer, count: number) => {
  await waitFor(() => running.seen.stderr.split('finished handling').length > count);
};

describe('max-concurrency', () => {
  test('holds a flood, of which each would start more', async () => {
    const running = await start([
      shell('bomb', 'echo x >> begun; for i in 1 2; do wget -qO- $URL & done; wait; sleep 100', {
        ...{ 'max-concurrency': 3, 'queue-size': 5, 'command-timeout': '30s' },
      }),
    ]);
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(running, 'bomb')));
    expect(answers.filter((answer) => answer.startsWith('HTTP/1.0 200'))).toHaveLength(8);
    const refused = answers.filter((answer) => answer.startsWith('HTTP/1.0 503'));
    expect(refused).toHaveLength(32);
    expect(refused[0]).toMatch(/\r\nRetry-After: 1\r\n/);
    expect(await begun(3)).toHaveLength(3);
  });

  test('runs begin in the order in which they came', async () => {
    const running = await start([shell('one', HELD, { 'max-concurrency': 1 })]);
    for (const n of ['1', '2', '3']) await ask(running, `one?n=${n}`);
    expect(await begun(1)).toEqual(['1']);
    await release();
    await finished(running, 3);
    expect(await written('over')).toEqual(['1', '2', '3']);
  });

  test('-max-commands holds all hooks', async () => {
    const running = await start([shell('a', HELD), shell('b', HELD)], '-max-commands', '1');
    expect(await ask(running, 'a?n=1')).toMatch(/taken$/);
    expect(await ask(running, 'b?n=2')).toMatch(/taken$/);
    expect(await begun(1)).toEqual(['1']);
    await release();
    await finished(running, 2);
    expect(await written('over')).toEqual(['1', '2']);
  });
});

test('coalesce makes those that wait one, with the newest request', async () => {
  const running = await start([shell('c', HELD, { coalesce: true })]);
  for (const n of ['1', '2', '3', '4']) await ask(running, `c?n=${n}`);
  await release();
  await finished(running, 2);
  expect(await written('over')).toEqual(['1', '4']);
  expect(running.seen.stderr.match(/c was not run: a newer run took its place/g)).toHaveLength(2);
});

test.each([
  ['drop-newest', ['1', '2'], 200],
  ['drop-oldest', ['1', '3'], 200],
  ['reject', ['1', '2'], 503],
])('on-full %s', async (onFull, expected, status) => {
  const limits = { 'max-concurrency': 1, 'queue-size': 1, 'on-full': onFull };
  const running = await start([shell('f', HELD, limits)]);
  const answers = [];
  for (const n of ['1', '2', '3']) answers.push(await ask(running, `f?n=${n}`));
  expect(answers[2]).toMatch(new RegExp(`^HTTP/1\\.0 ${status} `));
  await release();
  await finished(running, 2);
  expect(await written('over')).toEqual(expected);
});

test('rate-limit answers 429, and every run has an id', async () => {
  const running = await start([shell('r', ':', { 'rate-limit': '2/h' })]);
  const answers = [];
  for (let i = 0; i < 3; i++) answers.push(await ask(running, 'r'));
  expect(answers.map((answer) => answer.slice(9, 12))).toEqual(['200', '200', '429']);
  expect(answers[2]).toMatch(/\r\nRetry-After: 1[78]\d\d\r\n/);
  const ids = answers.map((answer) => /\r\nX-Hook-Run: (\S+)\r\n/.exec(answer)?.[1]);
  expect(new Set(ids).size).toBe(3);
});

test('response-mode sync waits and tells failure', async () => {
  const running = await start([
    shell('good', 'sleep 0.1; echo done >> out', { 'response-mode': 'sync' }),
    shell('bad', 'exit 3', { 'response-mode': 'sync' }),
  ]);
  expect(await ask(running, 'good')).toMatch(/^HTTP\/1\.0 200 .*taken$/s);
  expect(await written('out')).toEqual(['done']);
  expect(await ask(running, 'bad')).toMatch(/^HTTP\/1\.0 500 .*Error occurred while executing/s);
});

describe('stream-command-output', () => {
  test('sends what is written when it is written', async () => {
    const script =
      'echo first; while [ -d "$PWD" ] && [ ! -e go ]; do sleep 0.02; done; echo second; exit 1';
    const running = await start([shell('s', script, { 'stream-command-output': true })]);
    const socket = connect(running.port, '127.0.0.1').setEncoding('latin1');
    let answer = '';
    socket.on('data', (piece) => {
      answer += piece;
    });
    socket.write('GET /hooks/s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    await waitFor(() => answer.includes('first\n'));
    expect(answer).toContain('Transfer-Encoding: chunked');
    expect(answer).not.toContain('second');
    await release();
    await waitFor(() => socket.closed || answer.endsWith('0\r\n\r\n'));
    expect(answer).toMatch(
      /second\n\r\n.*Error occurred while executing the hook's stream command/s,
    );
    socket.destroy();
  });

  test('that is empty has a status of its own where it fails', async () => {
    const running = await start([
      shell('good', ':', { 'stream-command-output': true }),
      shell('bad', 'exit 2', { 'stream-command-output': true }),
    ]);
    expect(await ask(running, 'good')).toMatch(/^HTTP\/1\.0 200 .*\r\n\r\n$/s);
    expect(await ask(running, 'bad')).toMatch(/^HTTP\/1\.0 500 /);
  });

  test('goes on when the client has left', async () => {
    const script = `yes | head -c 300000; ${HELD}`;
    const running = await start([shell('s', script, { 'stream-command-output': true })]);
    const socket = connect(running.port, '127.0.0.1');
    socket.write('GET /hooks/s HTTP/1.0\r\n\r\n');
    await new Promise((resolve) => socket.once('data', resolve));
    socket.destroy();
    await release();
    await finished(running, 1);
    expect(await written('over')).toEqual(['']);
  });
});

test('a command that ignores TERM is killed with all that holds its output', async () => {
  const script = 'trap "" TERM; echo $$ > pid; (trap "" TERM; sleep 300) & sleep 300';
  const running = await start([
    shell('deaf', script, { 'command-timeout': '100ms', 'response-mode': 'sync' }),
  ]);
  expect(await ask(running, 'deaf')).toMatch(/^HTTP\/1\.0 500 /);
  expect(running.seen.stderr).toContain('timed out after 0.1s: signal: killed');
});

test('a command that has left its group does not hold the answer for ever', async () => {
  const script = 'setsid sleep 60 & exit 0';
  const running = await start([
    shell('gone', script, { 'command-timeout': '100ms', 'response-mode': 'sync' }),
  ]);
  expect(await ask(running, 'gone')).toMatch(/^HTTP\/1\.0 500 /);
  expect(running.seen.stderr).toContain('timed out after 0.1s: ended');
});
