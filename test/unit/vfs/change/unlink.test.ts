import { expect, test } from 'vitest';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { contentsOf } from '../../../support/memory-world.ts';
import { op, vfsWorld } from '../../../support/vfs-world.ts';

test('who has a file open keeps it; it leaves the remote when it is closed', async () => {
  const w = await vfsWorld({ files: { f: 'hello' } });
  const handle = await w.open('f');
  await w.unlink('f');
  expect(await w.names('')).toEqual([]);
  w.vfs.refresh();
  expect(await w.names('')).toEqual([]);
  await expect(w.size('f')).rejects.toMatchObject({ code: 'file-not-found' });
  expect(Object.keys(await contentsOf(w.remote))).toEqual(['f']);
  expect(Buffer.from(await w.vfs.read(handle, 0, 9, op)).toString()).toBe('hello');
  await w.vfs.release(handle, op);
  expect(await contentsOf(w.remote)).toEqual({});
});

test('a new file of the name is not removed with the old one', async () => {
  const w = await vfsWorld({ files: { f: 'old' } });
  const handle = await w.open('f');
  await w.unlink('f');
  await w.write('f', 'new');
  await w.vfs.release(handle, op);
  expect(await w.read('f')).toBe('new');
  expect(Object.values(await contentsOf(w.remote))[0]).toMatch('new');
});

test('neither is a file that was renamed to it', async () => {
  const w = await vfsWorld({ files: { f: 'old', g: 'new' } });
  const handle = await w.open('f');
  await w.unlink('f');
  await w.rename('g', 'f');
  await w.vfs.release(handle, op);
  expect(Object.keys(await contentsOf(w.remote))).toEqual(['f']);
  expect(await w.read('f')).toBe('new');
});

test('its directory can be removed, and what is left at the end goes', async () => {
  const w = await vfsWorld({ files: { 'd/f': 'old', g: 'x' } });
  const handle = await w.open('d/f');
  await w.open('g');
  await w.unlink('d/f');
  await w.unlink('g');
  await w.rmdir('d');
  await w.vfs.release(handle, op);
  await w.vfs.close(op);
  expect(await contentsOf(w.remote)).toEqual({});
});

test('a directory can take its name', async () => {
  for (const emptyDirs of [true, false]) {
    const w = await vfsWorld({ files: { f: 'old', g: 'old', 'd/h': 'x' }, memory: { emptyDirs } });
    const handles = [await w.open('f'), await w.open('g')];
    await w.unlink('f');
    await w.unlink('g');
    await w.mkdir('f');
    await w.rename('d', 'g');
    for (const handle of handles) await w.vfs.release(handle, op);
    await w.write('f/i', 'new');
    w.vfs.refresh();
    expect([await w.names(''), await w.names('g')]).toEqual([['f', 'g'], ['h']]);
    expect(Object.keys(await contentsOf(w.remote)).sort()).toEqual(['f/i', 'g/h']);
  }
});

test('an unlinked file can be written and looked at through its handle', async () => {
  const w = await vfsWorld({ files: {} });
  const handle = await w.create('f');
  const inode = await w.inode('f');
  await w.unlink('f');
  await w.vfs.write(handle, 0, Buffer.from('abc'), op);
  expect(await w.vfs.getAttributes(inode, handle, op)).toMatchObject({ size: 3, links: 0 });
  await w.vfs.setAttributes(inode, { size: 1 }, handle, op);
  expect((await w.vfs.getAttributes(inode, undefined, op)).size).toBe(1);
  await w.vfs.release(handle, op);
  expect(await contentsOf(w.remote)).toEqual({});
  await expect(w.vfs.open(inode, { ...NONE, read: true }, op)).rejects.toMatchObject({
    code: 'source-changed',
  });
});

test('a file that is gone already, or another one by now, is removed all the same', async () => {
  const w = await vfsWorld({ files: { f: 'x' } });
  await w.names('');
  await deleteOne(w.remote, { kind: 'file', path: 'f', size: 1 }, op);
  await w.unlink('f');
  expect(await w.names('')).toEqual([]);
  await expect(w.unlink('f')).rejects.toMatchObject({ code: 'file-not-found' });
});

const NONE = { read: false, write: false, truncate: false, exclusive: false };
