import { expect, test } from 'vitest';
import { contentHash, entryDetails, fileHead } from '../../../../commands/ncdu/entry-details.ts';
import { systemClock } from '../../../../src/core/context.ts';
import { remoteBut, remoteWith } from '../../../support/memory-world.ts';

const op = { signal: new AbortController().signal };

test('what the store tells of a file, with hashes that cost nothing', async () => {
  const memory = await remoteWith({ 'a/x': 'hello' });
  const details = Object.fromEntries(await entryDetails(memory, 'a/x', false, op));
  expect(details).toMatchObject({
    'exact time': '1970-01-01T00:16:40.000Z',
    md5: '5d41402abc4b2a76b9719d911017c592',
  });
});

test('metadata by plain names', async () => {
  const memory = await remoteWith({ x: 'hello' });
  const withMetadata = remoteBut(memory, {
    can: {
      ...memory.can,
      details: {
        read: async (file) => ({ ...file, metadata: { uid: '0', gid: '5', own: 'z' } }),
      },
    },
  });
  const details = await entryDetails(withMetadata, 'x', false, op);
  expect(details.slice(-3)).toEqual([
    ['user ID', '0'],
    ['group ID', '5'],
    ['metadata own', 'z'],
  ]);
});

test('hashes that mean reading the file only when they are asked for', async () => {
  const memory = await remoteWith({ x: 'hello' });
  const slow = remoteBut(memory, {
    traits: { ...memory.traits, slowHash: true },
    can: {
      hash: async (file, name, how) => memory.can.hash?.(file, name, how),
    },
    async stat(path, how) {
      const entry = await memory.stat(path, how);
      if (entry?.kind !== 'file') return entry;
      const { hashes: _, ...rest } = entry;
      return rest;
    },
  });
  const names = async (asks: boolean) =>
    (await entryDetails(slow, 'x', asks, op)).map(([name]) => name);
  expect(await names(false)).not.toContain('md5');
  expect(await names(true)).toContain('md5');
});

test('a directory, and what is not there', async () => {
  const memory = await remoteWith({ 'a/x': 'hello' });
  expect(await entryDetails(memory, 'a', false, op)).toContainEqual(['kind', 'directory']);
  await expect(entryDetails(memory, 'b', false, op)).rejects.toThrow('no longer exists');
});

test('the hash of contents, with how much was read; not of a file of another size', async () => {
  const memory = await remoteWith({ x: 'hello', 'a/y': 'hello' });
  const read: number[] = [];
  const hashOf = (path: string, size: number) =>
    contentHash({ clock: systemClock }, memory, { path, size }, (bytes) => read.push(bytes), op);
  const hash = await hashOf('x', 5);
  expect(hash).toBe('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824');
  expect(await hashOf('a/y', 5)).toBe(hash);
  expect(read).toEqual([5, 5]);
  await expect(hashOf('x', 6)).rejects.toThrow('it changed since the scan');
  await expect(hashOf('gone', 5)).rejects.toThrow('no longer exists');
});

test('the first kilobytes of a file', async () => {
  const long = 'x'.repeat(100_000);
  const memory = await remoteWith({ long, short: 'hello', none: '' });
  expect((await fileHead(memory, 'long', op)).length).toBe(16_384);
  expect((await fileHead(memory, 'short', op)).toString()).toBe('hello');
  expect((await fileHead(memory, 'none', op)).length).toBe(0);
});

test('a link or special file says what it is', async () => {
  const memory = await remoteWith({ x: 'hello' });
  const disk = remoteBut(memory, {
    can: {
      ...memory.can,
      unlistedAt: async (path) => (path === 'link' ? 'a symbolic link' : undefined),
    },
  });
  for (const look of [entryDetails(disk, 'link', false, op), fileHead(disk, 'link', op)]) {
    await expect(look).rejects.toMatchObject({
      code: 'not-a-file',
      message: expect.stringContaining('this is a symbolic link'),
    });
  }
  await expect(fileHead(disk, 'gone', op)).rejects.toMatchObject({ code: 'file-not-found' });
});
