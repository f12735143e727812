import { expect, test } from 'vitest';
import { op, vfsWorld } from '../../../support/vfs-world.ts';

const files = Object.fromEntries(
  Array.from({ length: 20 }, (_, i) => [`d/f${i + 10}`, ['x', 1000 + i] as const]),
);
const memory = { slowModTime: true };

test('a time that listings do not tell is asked for when it is wanted, and once', async () => {
  const w = await vfsWorld({ files, memory });
  await w.names('d');
  expect(w.calls).not.toContain('details d/f10');
  const inode = await w.inode('d/f13');
  const { modTime } = await w.vfs.getAttributes(inode, undefined, op);
  expect(modTime).toBe(1_003_000_000_000n);
  await w.vfs.getAttributes(inode, undefined, op);
  expect(w.calls.filter((call) => call.startsWith('details'))).toEqual(['details d/f13']);
});

test('who asks for file after file finds the times of the next ones known', async () => {
  const w = await vfsWorld({ files, memory });
  await w.names('d');
  for (const name of ['f10', 'f11', 'f12']) await w.inode(`d/${name}`);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const before = w.calls.length;
  expect(w.calls).toContain('details d/f29');
  for (let i = 13; i < 30; i++) await w.inode(`d/f${i}`);
  expect(w.calls.length).toBe(before);
});

test('a listing tells which times are not known', async () => {
  const w = await vfsWorld({ files, memory });
  const handle = await w.vfs.openDir(await w.inode('d'), op);
  const [first] = await w.vfs.readDir(handle, 0, op);
  expect(first?.isRough).toBe(true);
  await w.inode(`d/${first?.name}`);
  const [again] = await w.vfs.readDir(handle, 0, op);
  expect(again?.isRough).toBeUndefined();
});

test('with --no-modtime nothing is asked', async () => {
  const w = await vfsWorld({ files, memory, options: { noModTime: true } });
  await w.inode('d/f10');
  expect(w.calls.filter((call) => call.startsWith('details'))).toEqual([]);
});

test('a listing anew keeps the times of files that are the same', async () => {
  const w = await vfsWorld({ files, memory, network: true });
  await w.inode('d/f10');
  w.vfs.refresh();
  await w.names('d');
  await w.inode('d/f10');
  expect(w.calls.filter((call) => call === 'details d/f10')).toHaveLength(1);
});
