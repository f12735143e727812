import { expect, test } from 'vitest';
import { vfsWorld } from '../../support/vfs-world.ts';

test('reads, writes, renames and removes', async () => {
  const w = await vfsWorld({ files: { 'a/b.txt': 'hello', 'c.txt': 'see' } });
  expect(await w.names('')).toEqual(['a', 'c.txt']);
  expect(await w.read('a/b.txt')).toBe('hello');
  await w.write('a/new', 'fresh');
  expect(await w.names('a')).toEqual(['b.txt', 'new']);
  expect(await w.size('a/new')).toBe(5);
  await w.rename('a/new', 'c.txt');
  expect(await w.read('c.txt')).toBe('fresh');
  await w.rename('a', 'z');
  expect(await w.read('z/b.txt')).toBe('hello');
  await w.unlink('z/b.txt');
  await w.rmdir('z');
  expect(await w.names('')).toEqual(['c.txt']);
});
