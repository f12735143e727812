import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import { Activity } from '../../../../src/hooks/http/activity.ts';
import { HookLog } from '../../../../src/hooks/log/hook-log.ts';
import { AnsweringThreads } from '../../../../src/hooks/threads/answering-threads.ts';
import { loadDuplicate } from '../../../../src/hooks/threads/duplicate-descriptor.ts';
import { waitFor } from '../../../support/wait-for.ts';

const FRAGILE = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', ({ type, fd }) => {
    if (type === 'connection') throw new Error('it is fragile');
  });
  parentPort.postMessage({ type: 'ready' });`;

let server: Server | undefined;
afterEach(() => server?.close());

/** A server whose threads run `script`; a connection that stays in the main thread is told so. */
async function serve(script: string, more: object = {}) {
  const activity = new Activity();
  const seen = { log: '', started: 0 };
  const threads = new AnsweringThreads({
    ...{ fixed: 2, most: 2, activity, loadDuplicate, hooks: () => [] },
    thread: {} as never,
    log: new HookLog((text) => {
      seen.log += text;
    }),
    startWorker: () => {
      seen.started++;
      return new Worker(script, { eval: true });
    },
    serve: (socket) => void socket.end('main').resume(),
    note: () => {},
    ...more,
  });
  await threads.start();
  server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => {
    activity.opened();
    socket.once('close', () => activity.closed());
    threads.accept(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const ask = async () => {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (piece) => {
      answer += piece;
    });
    socket.on('error', () => {});
    await once(socket, 'close');
    return answer;
  };
  return { threads, activity, seen, ask };
}

test('a thread that breaks down takes nothing with it, and comes again', async () => {
  const { activity, seen, ask } = await serve(FRAGILE);
  expect(await ask()).toBe('');
  expect(seen.log).toMatch(/a thread that answers requests broke down: it is fragile\n$/);
  expect(await ask()).toBe('main');
  await waitFor(() => activity.open === 0);
  await waitFor(() => seen.started === 2);
  expect(activity.busy).toBe(0);
});

test('who waits for a thread that breaks down does not wait for ever', async () => {
  const { threads, seen } = await serve(
    FRAGILE.replace("type === 'connection'", "type === 'settle'"),
  );
  await threads.settled();
  expect(seen.log).toContain('it is fragile');
});

test('a thread that cannot start leaves everything to the main one', async () => {
  const { ask, seen } = await serve('throw new Error("no thread today")');
  expect(seen.log).toContain('no thread today');
  expect(await ask()).toBe('main');
});

test('where descriptors cannot be copied there is one thread', async () => {
  const { ask, seen } = await serve(FRAGILE, { loadDuplicate: async () => undefined });
  expect(await ask()).toBe('main');
  expect(seen.started).toBe(0);
});

test('where the system gives no thread there is one', async () => {
  const startWorker = () => {
    throw new Error('too many threads');
  };
  const { ask, seen } = await serve(FRAGILE, { startWorker });
  expect(seen.log).toMatch(/no further thread can be started: too many threads\n$/);
  expect(await ask()).toBe('main');
});
