import { expect, test } from 'vitest';
import { contentsOf } from '../../../support/memory-world.ts';
import { op, vfsWorld } from '../../../support/vfs-world.ts';

const write = (text: string) => Buffer.from(text);

test('a new file is there at once, with its size, and on the remote when it is closed', async () => {
  const w = await vfsWorld();
  const handle = await w.create('f');
  expect([await w.names(''), await w.size('f')]).toEqual([['f'], 0]);
  await w.vfs.write(handle, 0, write('hello'), op);
  expect(await w.size('f')).toBe(5);
  w.vfs.refresh();
  expect([await w.names(''), await w.size('f')]).toEqual([['f'], 5]);
  await w.vfs.release(handle, op);
  expect(Object.keys(await contentsOf(w.remote))).toEqual(['f']);
});

test('a file that waits to be uploaded is shown as it is here', async () => {
  const w = await vfsWorld({ files: { f: 'on the remote' }, waits: true });
  await w.write('f', 'here');
  await w.write('d', 'new');
  w.vfs.refresh();
  expect([await w.size('f'), await w.size('d'), await w.read('f')]).toEqual([4, 3, 'here']);
  await w.contents.uploadAll();
  w.vfs.refresh();
  expect([await w.size('f'), await w.read('d')]).toEqual([4, 'new']);
});

test('files and directories that wait from an earlier mount are there', async () => {
  const earlier = await vfsWorld({ waits: true });
  await earlier.mkdir('a');
  await earlier.write('a/f', 'waits');
  const w = await vfsWorld({ contents: earlier.contents });
  expect([await w.names(''), await w.names('a')]).toEqual([['a'], ['f']]);
  expect(await w.size('a/f')).toBe(5);
});

test('a file is made where there is none, opened where there is one, and not where that is refused', async () => {
  const w = await vfsWorld({ files: { f: 'x', 'd/': '' } });
  await expect(w.create('f', { exclusive: true })).rejects.toMatchObject({
    code: 'already-exists',
  });
  await expect(w.create('d')).rejects.toMatchObject({ code: 'not-a-file' });
  const handle = await w.create('f');
  expect(Buffer.from(await w.vfs.read(handle, 0, 9, op)).toString()).toBe('x');
  await w.vfs.release(handle, op);
  const empty = await w.open('f', { write: true, truncate: true });
  expect(await w.size('f')).toBe(0);
  await w.vfs.release(empty, op);
});

test('many who make the same file at once open one, and one of those who insist', async () => {
  const w = await vfsWorld();
  const all = await Promise.allSettled(
    Array.from({ length: 64 }, () => w.create('f', { exclusive: true })),
  );
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const handles = await Promise.all(Array.from({ length: 64 }, () => w.create('f')));
  const inodes = await Promise.all(handles.map(() => w.inode('f')));
  expect(new Set(inodes).size).toBe(1);
});

test('a file that could not be kept is not there any more', async () => {
  const w = await vfsWorld();
  const handle = await w.create('f');
  await w.contents.removed('f');
  await w.vfs.release(handle, op);
  expect(await w.names('')).toEqual([]);
});

test('what the page cache holds is right as long as the remote has the same version', async () => {
  const w = await vfsWorld({ files: { f: 'x' } });
  const open = async () => {
    const flags = { read: true, write: false, truncate: false, exclusive: false };
    const opened = await w.vfs.open(await w.inode('f'), flags, op);
    await w.vfs.release(opened.handle, op);
    return opened.keepCache;
  };
  expect([await open(), await open()]).toEqual([false, true]);
  await w.write('f', 'written here');
  expect(await open()).toBe(true);
  w.vfs.refresh();
  expect(await open()).toBe(true);
  const body = Buffer.from('by others');
  await w.remote.write({ path: 'f', size: 9, seekable: true, open: async () => body }, op);
  w.vfs.refresh();
  expect([await open(), await open()]).toEqual([false, true]);
  expect(w.told).toContain('inode');
});

test('a number that is not open is an error', async () => {
  const w = await vfsWorld();
  expect(() => w.vfs.read(77, 0, 1, op)).toThrow('not open');
  await w.vfs.release(77, op);
});
