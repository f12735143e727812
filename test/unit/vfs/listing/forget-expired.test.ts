import { expect, test } from 'vitest';
import { op, vfsWorld } from '../../../support/vfs-world.ts';

const files = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [`d${i % 4}/sub/f${i}`, 'x']),
);

test('what was listed and is too old takes no memory, and comes back with the same numbers', async () => {
  const w = await vfsWorld({ files });
  for (let i = 0; i < 4; i++) await w.names(`d${i}/sub`);
  const inode = await w.inode('d0/sub/f0');
  expect(w.vfs.known.nodes).toBeGreaterThan(40);
  // What `inode` looked up on the way is given back.
  for (const path of [
    'd0/sub/f0',
    'd0/sub',
    'd1/sub',
    'd2/sub',
    'd3/sub',
    'd0',
    'd1',
    'd2',
    'd3',
  ]) {
    w.vfs.forget(await w.inode(path), 100);
  }
  await w.clock.advance(700_000);
  expect(w.vfs.known).toEqual({ nodes: 1, dirs: 0 });
  expect(await w.inode('d0/sub/f0')).toBe(inode);
});

test('what the kernel remembers stays known by its number', async () => {
  const w = await vfsWorld({ files });
  const inode = await w.inode('d0/sub/f0');
  await w.clock.advance(700_000);
  expect((await w.vfs.getAttributes(inode, undefined, op)).size).toBe(1);
  expect(w.vfs.known.nodes).toBeLessThan(20);
});

test('what is open, or not uploaded yet, stays', async () => {
  const w = await vfsWorld({ files, waits: true });
  const handle = await w.open('d0/sub/f0');
  await w.write('d0/sub/new', 'newer');
  for (const path of ['d0/sub/f0', 'd0/sub/new', 'd0/sub', 'd0']) {
    w.vfs.forget(await w.inode(path), 100);
  }
  await w.clock.advance(700_000);
  expect(Buffer.from(await w.vfs.read(handle, 0, 9, op)).toString()).toBe('x');
  expect(await w.read('d0/sub/new')).toBe('newer');
});

test('a directory that is being read keeps what it told', async () => {
  const w = await vfsWorld({ files });
  const handle = await w.vfs.openDir(await w.inode('d0/sub'), op);
  const [first] = await w.vfs.readDir(handle, 0, op);
  await w.clock.advance(700_000);
  w.vfs.remember(first?.attributes.inode ?? 0);
  w.vfs.releaseDir(handle);
  const { inode = 0 } = first?.attributes ?? {};
  expect((await w.vfs.getAttributes(inode, undefined, op)).size).toBe(1);
});

test('a node that only a lookup holds goes when the kernel forgets it after its listing', async () => {
  const w = await vfsWorld({ files });
  const inode = await w.inode('d0/sub/f0');
  await w.clock.advance(700_000);
  w.vfs.forget(inode, 100);
  await expect(w.vfs.getAttributes(inode, undefined, op)).rejects.toMatchObject({
    code: 'file-not-found',
  });
});

test('a tree larger than the memory for it is forgotten in the order in which it was listed', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [`d${(i % 20) + 10}/f${i}`, 'x']),
  );
  const w = await vfsWorld({ files: many, network: true, nodeLimit: 100 });
  for (let i = 10; i < 30; i++) expect(await w.names(`d${i}`)).toHaveLength(20);
  expect(w.vfs.known.nodes).toBeLessThan(200);
  const handle = await w.vfs.openDir(await w.inode('d10'), op);
  const listed = await w.vfs.readDir(handle, 0, op);
  w.vfs.releaseDir(handle);
  for (const { attributes } of listed) w.vfs.remember(attributes.inode);
  for (let i = 11; i < 30; i++) await w.names(`d${i}`);
  // Those that the kernel remembers are asked back.
  expect(w.told.filter((each) => each.startsWith('entry f'))).toHaveLength(20);
});
