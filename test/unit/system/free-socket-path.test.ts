import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { existsSync, unlinkSync } from 'node:fs';
import { mkdtemp, rename, rm, unlink } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { freeSocketPath, socketCloser } from '../../../src/system/free-socket-path.ts';

let folder: string;
let path: string;
const servers: Server[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'socket-'));
  path = join(folder, 's');
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await rm(folder, { recursive: true });
});

async function listen(): Promise<Server> {
  const server = createServer((socket) => socket.end());
  servers.push(server);
  await once(server.listen(path), 'listening');
  return server;
}

test('a server that closes deletes its socket', async () => {
  const close = socketCloser(await listen(), path);
  await new Promise<void>((done) => close(done));
  expect(existsSync(path)).toBe(false);
});

test('the socket of its successor stays and is listened at', async () => {
  const close = socketCloser(await listen(), path);
  await unlink(path);
  await listen();
  await new Promise<void>((done) => close(done));
  const client = connect(path);
  await once(client, 'connect');
  client.destroy();
});

test('a socket in use is not freed', async () => {
  await listen();
  await expect(freeSocketPath(path)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect(existsSync(path)).toBe(true);
});

/** Leaves a socket at the path as a killed server does. */
async function leaveSocket(): Promise<void> {
  const server = await listen();
  await rename(path, `${path}.kept`);
  await new Promise((done) => server.close(done));
  await rename(`${path}.kept`, path);
}

test('the socket of a killed server is deleted', async () => {
  await leaveSocket();
  await freeSocketPath(path);
  expect(existsSync(path)).toBe(false);
});

test('a server that takes the path while it is freed keeps its socket', async () => {
  await leaveSocket();
  // File systems count the time of a new file in ticks of up to 10 ms.
  await sleep(50);
  const connecting = channel('net.client.socket');
  const replace = (message: unknown) => {
    const { socket } = message as { readonly socket: Socket };
    // Before freeSocketPath learns that nobody listened at the old one.
    socket.once('error', () => {
      unlinkSync(path);
      servers.push(createServer().listen(path));
    });
  };
  connecting.subscribe(replace);
  onTestFinished(() => connecting.unsubscribe(replace));
  await freeSocketPath(path);
  expect(existsSync(path)).toBe(true);
});
