import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { Remote } from '../../../../src/core/remote.ts';
import { layered } from '../../../support/layered.ts';
import { contentsOf } from '../../../support/memory-world.ts';
import { op, vfsWorld } from '../../../support/vfs-world.ts';

test('the time of a file is set on the remote, to the nanosecond', async () => {
  const w = await vfsWorld({ files: { f: 'x' } });
  const inode = await w.inode('f');
  const set = await w.vfs.setAttributes(
    inode,
    { modTime: 1_500_000_000_123_456_789n },
    undefined,
    op,
  );
  expect(set.modTime).toBe(1_500_000_000_123_456_789n);
  expect(await contentsOf(w.remote)).toEqual({ f: 'x@1500000000' });
});

test('of a file that is being written it goes with the content', async () => {
  const w = await vfsWorld({ files: {} });
  const handle = await w.create('f');
  await w.vfs.write(handle, 0, Buffer.from('new'), op);
  const inode = await w.inode('f');
  await w.vfs.setAttributes(inode, { modTime: 7_000_000_000n }, handle, op);
  expect((await w.vfs.getAttributes(inode, undefined, op)).modTime).toBe(7_000_000_000n);
  await w.vfs.release(handle, op);
  expect(await contentsOf(w.remote)).toEqual({ f: 'new@7' });
});

test('a store that keeps no times of its own is not asked, nor with --no-modtime', async () => {
  for (const settings of [
    { memory: { without: ['setModTime'] } } as const,
    { options: { noModTime: true } },
  ]) {
    const w = await vfsWorld({ files: { f: 'x' }, ...settings });
    await w.vfs.setAttributes(await w.inode('f'), { modTime: 5n }, undefined, op);
    expect(await contentsOf(w.remote)).toEqual({ f: 'x@1000' });
  }
});

test('an archived object keeps its time, and touch does not fail', async () => {
  const archived = async () => {
    throw new SyncerError('archived', 'the object is archived');
  };
  const wrap = (remote: Remote) =>
    layered(remote, { can: { ...remote.can, setModTime: archived } });
  const w = await vfsWorld({ files: { f: 'x' }, wrap });
  const inode = await w.inode('f');
  const before = await w.vfs.getAttributes(inode, undefined, op);
  const set = await w.vfs.setAttributes(inode, { modTime: 5n }, undefined, op);
  expect(set.modTime).toBe(before.modTime);
});

test('the size changes, whether the file is open or not', async () => {
  const w = await vfsWorld({ files: { f: 'hello' } });
  const inode = await w.inode('f');
  expect((await w.vfs.setAttributes(inode, { size: 2 }, undefined, op)).size).toBe(2);
  expect(await w.read('f')).toBe('he');
  const handle = await w.open('f', { write: true });
  expect((await w.vfs.setAttributes(inode, { size: 1 }, handle, op)).size).toBe(1);
  const reader = await w.open('f');
  expect((await w.vfs.setAttributes(inode, { size: 0 }, reader, op)).size).toBe(0);
  await w.vfs.release(handle, op);
  await w.vfs.release(reader, op);
  expect(await w.size('f')).toBe(0);
});

test('permissions and owners are accepted and stay', async () => {
  const w = await vfsWorld({ files: { f: 'x' }, options: { filePerms: 0o640, uid: 5, gid: 6 } });
  const set = await w.vfs.setAttributes(await w.inode('f'), { mode: 0o777, uid: 1 }, undefined, op);
  expect(set).toMatchObject({ mode: 0o640, uid: 5, gid: 6, links: 1 });
});

test('the time of a directory is that of the last change in it, or what was set', async () => {
  const w = await vfsWorld({ files: { 'd/f': 'x' } });
  const inode = await w.inode('d');
  await w.clock.advance(60_000);
  await w.write('d/g', '');
  expect((await w.vfs.getAttributes(inode, undefined, op)).modTime).toBe(60_000_000_000n);
  const set = await w.vfs.setAttributes(inode, { modTime: 9n }, undefined, op);
  expect(set.modTime).toBe(9n);
});

test('nothing is changed on a mount that is read-only', async () => {
  const w = await vfsWorld({ files: { f: 'x' }, options: { readOnly: true } });
  const code = 'read-only';
  const inode = await w.inode('f');
  await expect(w.vfs.setAttributes(inode, { size: 0 }, undefined, op)).rejects.toMatchObject({
    code,
  });
  await expect(w.open('f', { write: true })).rejects.toMatchObject({ code });
  await expect(w.write('g', '')).rejects.toMatchObject({ code });
  await expect(w.mkdir('d')).rejects.toMatchObject({ code });
  await expect(w.unlink('f')).rejects.toMatchObject({ code });
  await expect(w.rename('f', 'g')).rejects.toMatchObject({ code });
});
