import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Activity } from '../../../../src/hooks/http/activity.ts';
import { descriptorOf } from '../../../../src/hooks/http/descriptor-of.ts';
import * as module from '../../../../src/hooks/threads/answering-thread.ts';
import { loadDuplicate } from '../../../../src/hooks/threads/duplicate-descriptor.ts';
import { startWorker } from '../../../../src/hooks/threads/start-worker.ts';
import { ThreadHandle } from '../../../../src/hooks/threads/thread-handle.ts';
import type { FromThread } from '../../../../src/hooks/threads/thread-messages.ts';
import { waitFor } from '../../../support/wait-for.ts';

const activity = new Activity();
const own = activity.ofThread(1);
const options = {
  ...{ urlPrefix: 'hooks', headers: [], methods: [], debug: false, nameRuns: false },
  ...{ useRequestId: false, requestIdLimit: 0, maxMultipartMem: 1 << 20, maxBody: 1 << 20 },
};

let server: Server;
let thread: ThreadHandle;
let heard: FromThread[];
let client: Socket;
let seen: string;
beforeEach(async () => {
  heard = [];
  const limits = { maxHeadBytes: 4096, headTimeoutMs: 60_000, idleTimeoutMs: 60_000 };
  const plan = {
    ...{ thread: 1, memory: activity.memory, options, hooks: [], limits, pages: [] },
    ...{ logDescriptor: undefined, keepsRequests: false, counts: true },
  };
  const gone = () => {};
  const told = (_: unknown, message: FromThread) => void heard.push(message);
  thread = new ThreadHandle(1, startWorker(module, plan), own, { heard: told, gone });
  const duplicate = await loadDuplicate();
  server = createServer({ pauseOnConnect: true }, (socket) => {
    const fd = duplicate?.(descriptorOf(socket) ?? -1) ?? -1;
    const moved = { remoteAddress: '1.2.3.4:5', bytes: Buffer.alloc(0), isBusy: false };
    own.opened();
    thread.tell({ type: 'connection', fd, ...moved });
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await thread.started;
  seen = '';
  const { port } = server.address() as { port: number };
  client = connect(port, '127.0.0.1').setEncoding('latin1');
  client.on('data', (piece) => {
    seen += piece;
  });
});
afterEach(async () => {
  client.destroy();
  thread.end();
  server.close();
});

test('a thread answers, counts, and gives an idle connection away when it is to end', async () => {
  client.write('GET /hooks/nix HTTP/1.1\r\nHost: h\r\n\r\n');
  await waitFor(() => seen.endsWith('Hook not found.'));
  expect(heard).toEqual([{ type: 'answered', hook: '', status: 404 }]);
  expect(own.openHere).toBe(1);
  await waitFor(() => activity.busy === 0);
  thread.drain();
  expect(thread.isServing).toBe(false);
  await waitFor(() => heard.length === 2);
  const moved = heard[1] as FromThread & { type: 'connection' };
  expect(moved).toMatchObject({ type: 'connection', remoteAddress: '1.2.3.4:5', isBusy: false });
  expect([moved.why, moved.bytes.length]).toEqual(['balance', 0]);
  thread.tell({ type: 'taken', fd: moved.fd });
  await waitFor(() => heard.length === 3);
  expect(heard[2]).toEqual({ type: 'empty' });
  expect(own.openHere).toBe(0);
});

test('a request that it must not answer goes back as it came, and counts as busy', async () => {
  const request =
    'POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n';
  client.write(request);
  await waitFor(() => heard.length === 1);
  const moved = heard[0] as FromThread & { type: 'connection' };
  expect(moved).toMatchObject({ why: 'request', isBusy: true });
  expect(Buffer.from(moved.bytes).toString()).toBe(request);
  expect(activity.busy).toBe(1);
  // What the client sends before the connection was taken belongs to its next place.
  client.write('more');
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(heard).toHaveLength(1);
  thread.activity.end();
});
