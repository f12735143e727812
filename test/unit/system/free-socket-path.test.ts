import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, unlink } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
