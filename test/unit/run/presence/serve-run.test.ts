import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import { serveRun } from '../../../../src/run/presence/enter-presence.ts';
import { RunClient } from '../../../../src/run/presence/run-client.ts';
import { type RunNews, takeProgress } from '../../../../src/run/presence/run-protocol.ts';
import { logText } from '../../../../src/shell/log/log-text.ts';
import {
  addError,
  applyEvent,
  ProgressState,
} from '../../../../src/shell/progress/progress-state.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { servedRun } from './run-world.ts';

const ID = '20261121-113012-7k3f';
let folder: string;
let path: string;
let listening: Server;
let server: ReturnType<typeof serveRun>;
const interrupt = vi.fn();
let fake: ReturnType<typeof servedRun>;

async function serve(about: Parameters<typeof servedRun>[0] = {}) {
  fake = servedRun(about);
  server = serveRun(fake.run, interrupt);
  listening = createServer(server.serve).listen(path);
  await once(listening, 'listening');
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'running-'));
  path = join(folder, 'socket');
});
afterEach(async () => {
  server.end(0);
  listening.close();
  await rm(folder, { recursive: true, force: true });
});

test('a run is paused, changed, let go on and stopped, and every answer says how it is then', async () => {
  await serve();
  const client = await RunClient.open(ID, path);
  expect(await client.status({ ask: 'state' })).toMatchObject({ isPaused: false, transfers: 4 });
  expect(await client.status({ ask: 'pause' })).toMatchObject({ isPaused: true });
  expect(await client.status({ ask: 'resume' })).toMatchObject({ isPaused: false });
  const set = await client.status({ ask: 'set', transfers: 9, bwlimit: 500 });
  expect(set).toMatchObject({ bwlimit: 500, transfers: 9 });
  expect(await client.status({ ask: 'set', bwlimit: 'off' })).toMatchObject({ bwlimit: 'off' });
  expect(await client.status({ ask: 'stop' })).toMatchObject({ isStopping: true });
  await expect(client.status({ ask: 'pause' })).rejects.toThrow('the run is stopping');
  expect(interrupt).not.toHaveBeenCalled();
  await client.status({ ask: 'stop', now: true });
  expect(interrupt).toHaveBeenCalledOnce();
  client.close();
});

test('what makes no sense changes nothing', async () => {
  await serve();
  const client = await RunClient.open(ID, path);
  for (const wrong of [{ transfers: 0 }, { transfers: 1.5 }, { bwlimit: 0 }, { bwlimit: -1 }]) {
    const both = { transfers: 3, ...wrong };
    await expect(client.status({ ask: 'set', ...both })).rejects.toThrow('above 0');
  }
  const zap = client.status({ ask: 'zap' } as never);
  await expect(zap).rejects.toThrow('unknown request "zap"');
  const { transfers, bwlimit } = await client.status({ ask: 'state' });
  expect([transfers, bwlimit]).toEqual([4, undefined]);
  client.close();
});

test('a run that cannot be steered says so, and can be stopped', async () => {
  await serve({ canSteer: false, command: 'purge' });
  const client = await RunClient.open(ID, path);
  await expect(client.status({ ask: 'pause' })).rejects.toThrow('purge cannot be paused');
  await expect(client.status({ ask: 'set', transfers: 2 })).rejects.toThrow('purge cannot be');
  expect(await client.status({ ask: 'stop' })).toMatchObject({ isStopping: true });
  client.close();
});

test('a watcher gets states, lines of the log and the end; secrets stay', async () => {
  await serve();
  const { state } = fake.run.report;
  const client = await RunClient.open(ID, path);
  const got: RunNews[] = [];
  client.on((event) => got.push(event));
  expect(fake.isListening()).toBe(false);
  await client.status({ ask: 'watch' });
  expect(fake.isListening()).toBe(true);
  addError(state, new SyncerError('network', 'no way to secret'));
  applyEvent(state, { type: 'transfer-start', id: 1, kind: 'copy', path: 'f', size: 10 });
  const link = { link: 'http://127.0.0.1:1/auth?state=e7' };
  fake.tell({ type: 'log', level: 'notice', code: 'login-browser', fields: link });
  fake.tell(logText('info', 'hello secret'));
  const error = new SyncerError('network', 'the server said secret');
  fake.tell({ type: 'wait', why: 'retry', ms: 5, what: 'f', error });
  await waitFor(() => got.some(({ event }) => event === 'state'));
  server.end(7);
  await client.closed;
  expect(got.at(-1)).toEqual({ event: 'end', exit: 7 });
  const login = got.find((news) => news.event === 'log' && news.line.level === 'notice');
  expect(login).toMatchObject({ line: { lines: true } });
  expect(got).toContainEqual({ event: 'log', line: { level: 'info', message: 'hello ***' } });
  expect(got.find(({ event }) => event === 'wait')).toMatchObject({
    wait: { cause: 'the server said ***' },
  });
  expect(JSON.stringify(got)).not.toContain('secret');
  const last = got.findLast(({ event }) => event === 'state');
  if (last?.event !== 'state') throw new Error('no state');
  expect(JSON.stringify(last)).not.toContain('secret');
  const taken = new ProgressState(0);
  takeProgress(taken, last.state.progress, 1000);
  expect(taken).toMatchObject({ errors: 1, startedMs: 1000, lastError: { code: 'network' } });
  expect([...taken.active.keys()]).toEqual([1]);
  expect(taken.failures.byCause.size).toBe(1);
});

test('the last watcher that leaves ends the listening', async () => {
  await serve();
  const clients = await Promise.all([RunClient.open(ID, path), RunClient.open(ID, path)]);
  for (const client of clients) await client.status({ ask: 'watch' });
  clients[0]?.close();
  await clients[0]?.closed;
  expect(fake.isListening()).toBe(true);
  clients[1]?.close();
  await waitFor(() => !fake.isListening());
});

async function watchers(count: number) {
  const clients = await Promise.all(Array.from({ length: count }, () => RunClient.open(ID, path)));
  const lines = clients.map(() => 0);
  for (const [at, client] of clients.entries()) {
    client.on(({ event }) => {
      if (event === 'log') lines[at] = (lines[at] ?? 0) + 1;
    });
    await client.status({ ask: 'watch' });
  }
  const close = () => {
    for (const client of clients) client.close();
  };
  return { lines, close };
}

test('fifty watchers get every line', async () => {
  await serve();
  const { lines, close } = await watchers(50);
  for (let sent = 0; sent < 100; sent++) fake.tell(logText('info', 'x'));
  await waitFor(() => lines.every((count) => count === 100));
  close();
});

test('a watcher that does not read is disconnected, and the others get every line', async () => {
  await serve();
  const deaf = connect(path);
  deaf.write('{"number":1,"ask":"watch"}\n');
  deaf.pause();
  const { lines, close } = await watchers(1);
  const message = 'x'.repeat(1_000_000);
  for (let sent = 0; sent < 30; sent++) {
    fake.tell(logText('info', message));
    await waitFor(() => lines[0] === sent + 1);
  }
  close();
  await waitFor(() => !fake.isListening());
  deaf.destroy();
});

test('a run of another protocol is not steered; nothing that listens is no run', async () => {
  listening = createServer((socket) =>
    socket.write(`${JSON.stringify({ event: 'hello', protocol: 2, version: '9', run: ID })}\n`),
  ).listen(path);
  server = serveRun(servedRun().run, () => {});
  await once(listening, 'listening');
  const client = await RunClient.open(ID, path);
  await expect(client.status({ ask: 'stop' })).rejects.toThrow('the run is of syncer 9');
  client.close();
  await expect(RunClient.open(ID, join(folder, 'none'))).rejects.toThrow(`run ${ID} does not`);
});
