import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readWhole } from '../../../src/system/read-whole.ts';

let dir: string;
let path: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'read-whole-'));
  path = join(dir, 'f');
});
afterEach(() => rm(dir, { recursive: true }));

const MIB = 1024 ** 2;
const read = (file: string, mostBytes = MIB, signal?: AbortSignal) =>
  readWhole(file, { mostBytes, signal });

test.each([0, 1, 70_000, MIB])('a file of %i bytes is read whole', async (size) => {
  const content = Buffer.alloc(size, 'abc');
  await writeFile(path, content);
  expect((await read(path)).equals(content)).toBe(true);
});

test('a file that tells no size is read whole', async () => {
  expect((await read('/proc/self/status')).toString()).toContain('\nPid:\t');
});

test('a larger file is refused', async () => {
  await writeFile(path, Buffer.alloc(MIB + 1));
  await expect(read(path)).rejects.toThrow('it is larger than 1 MiB');
});

test.each(['/dev/zero', '/dev/full', '/dev/urandom'])('%s is refused', async (device) => {
  await symlink(device, path);
  await expect(read(path)).rejects.toThrow('it is a device');
});

test('the null device is empty', async () => {
  await symlink('/dev/null', path);
  expect((await read(path)).length).toBe(0);
});

test('a pipe is read to its end, also where its writer comes later', async () => {
  execFileSync('mkfifo', [path]);
  const content = read(path);
  const writer = await open(path, 'w');
  await writer.write('one ');
  await writer.write('two');
  await writer.close();
  expect((await content).toString()).toBe('one two');
});

test('a pipe that gives too much is refused', async () => {
  execFileSync('mkfifo', [path]);
  const refused = expect(read(path, 10)).rejects.toThrow('it is larger than 0 MiB');
  const writer = await open(path, 'w');
  await writer.write('x'.repeat(11));
  await refused;
  await writer.close();
});

test('the signal ends the wait for a pipe that nobody writes to', async () => {
  execFileSync('mkfifo', [path]);
  const stop = new AbortController();
  const reason = new Error('stopped');
  const stopped = expect(read(path, MIB, stop.signal)).rejects.toBe(reason);
  stop.abort(reason);
  await stopped;
});

test('a file that is missing rejects as Node does', async () => {
  await expect(read(path)).rejects.toMatchObject({ code: 'ENOENT' });
});
