import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeSyncerWorld, type SyncerWorld } from '../support/run-syncer.ts';
import { startServe } from './start-serve.ts';

let world: SyncerWorld;
beforeEach(async () => {
  world = await makeSyncerWorld();
  await mkdir(join(world.dir, 'store/bucket'), { recursive: true });
  await writeFile(join(world.dir, 'store/bucket/file.txt'), 'hello');
});
afterEach(() => world.remove());

test('without keys everybody may use it, and is told so', async () => {
  const { running, endpoint } = await startServe(world, ['store', '-v']);
  expect(running.seen.stderr).toContain('NOTICE: Without --auth-key, anyone who can reach');
  expect(await (await fetch(`${endpoint}/bucket/file.txt`)).text()).toBe('hello');
  expect((await fetch(`${endpoint}/bucket/new`, { method: 'PUT', body: 'x' })).status).toBe(200);
  const refused = await fetch(`${endpoint}/bucket/new?retention=1&select`, { method: 'POST' });
  expect(refused.status).toBe(501);
  await fetch(`${endpoint}/bucket/new?AWSAccessKeyId=a&Expires=9&Signature=not-to-be-told`);
  running.kill('SIGTERM');
  const { code, stderr } = await running.ended;
  expect(code).toBe(143);
  expect(stderr).toMatch(/INFO {2}: GET \/bucket\/file.txt 200 in [\d.]+ ms/);
  expect(stderr).not.toContain('not-to-be-told');
  expect(stderr).not.toMatch(/ERROR : [A-Z]{3,}/);
  expect(await readdir(join(world.dir, 'store/bucket'))).toContain('new');
});

test('with keys nobody else may use it', async () => {
  const { running, endpoint } = await startServe(world, ['store', '--auth-key', 'a,b']);
  expect((await fetch(`${endpoint}/bucket/file.txt`)).status).toBe(403);
  expect(running.seen.stderr).not.toContain('auth-key');
  running.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
});

test('read-only it changes nothing', async () => {
  const { running, endpoint } = await startServe(world, ['store', '--read-only']);
  const write = await fetch(`${endpoint}/bucket/new`, { method: 'PUT', body: 'x' });
  expect([write.status, await write.text()]).toEqual([403, expect.stringContaining('read-only')]);
  expect(await (await fetch(`${endpoint}/bucket/file.txt`)).text()).toBe('hello');
  running.kill('SIGTERM');
  await running.ended;
  expect(await readdir(join(world.dir, 'store/bucket'))).toEqual(['file.txt']);
});

test('a second server for the same folder ends with 75', async () => {
  const { running } = await startServe(world, ['store']);
  const { code, stderr } = await world.run(['serve', 's3', 'store', '--addr', 'localhost:0']);
  expect({ code, stderr }).toEqual({
    code: 75,
    stderr: expect.stringContaining('another server already serves this directory'),
  });
  running.kill('SIGTERM');
  await running.ended;
});

test.each([
  [['serve', 'ftp', 'store'], 'unknown command: serve ftp'],
  [['serve', 's3', 'remote:bucket'], 'a local directory, not remote:bucket'],
  [['serve', 's3', 'store', '--addr', 'nonsense'], '--addr nonsense: an address is host:port'],
  [['serve', 's3', 'store', '--addr', 'localhost:99999'], '--addr localhost:99999'],
  [['serve', 's3', 'store', '--auth-key', 'nocomma'], '--auth-key needs'],
  [['serve', 's3', 'missing', '--read-only'], 'no such directory'],
  [['serve', 's3', 'store', '-x'], 'omit --one-file-system'],
  [['serve', 's3', 'store/bucket/file.txt', '--read-only'], 'not a directory'],
])('%j is refused', async (args, text) => {
  const { code, stderr } = await world.run(args);
  expect(stderr).toContain(text);
  expect(code).toBeGreaterThan(0);
  expect(await readdir(world.dir)).toEqual(['store']);
});

test('an address in use', async () => {
  const { running, endpoint } = await startServe(world, ['store']);
  const addr = new URL(endpoint).host;
  const { code, stderr } = await world.run(['serve', 's3', '.', '--addr', addr]);
  expect(code).toBe(1);
  expect(stderr).toContain(`cannot listen on ${addr}: the address is in use`);
  running.kill('SIGTERM');
  await running.ended;
});

test('a server that a failed test leaves running ends with its world', async () => {
  const other = await makeSyncerWorld();
  await mkdir(join(other.dir, 'store'));
  const { running } = await startServe(other, ['store']);
  await other.remove();
  expect(() => process.kill(running.pid, 0)).toThrow('ESRCH');
});
