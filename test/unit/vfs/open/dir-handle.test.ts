import { expect, test } from 'vitest';
import { op, vfsWorld } from '../../../support/vfs-world.ts';

const files = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`d/f${i + 1000}`, 'x']));

test('positions stay what they are while entries come and go', async () => {
  const w = await vfsWorld({ files });
  const handle = await w.vfs.openDir(await w.inode('d'), op);
  const first = await w.vfs.readDir(handle, 0, op);
  const next = first.at(-1)?.next ?? 0;
  await w.unlink('d/f1000');
  await w.write('d/aaa', '');
  await w.unlink(`d/f${1000 + next}`);
  await w.rename(`d/f${1001 + next}`, 'd/zzz');
  const seen = first.map(({ name }) => name);
  for (let from = next; ; ) {
    const entries = await w.vfs.readDir(handle, from, op);
    const last = entries.at(-1);
    if (last === undefined) break;
    seen.push(...entries.map(({ name }) => name));
    from = last.next;
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen).toHaveLength(598);
  const again = await w.vfs.readDir(handle, 0, op);
  expect(again.map(({ name }) => name)).not.toContain('f1000');
  w.vfs.releaseDir(handle);
});

test('a directory that is empty or gone', async () => {
  const w = await vfsWorld({ files: { 'd/': '', f: 'x' } });
  const inode = await w.inode('d');
  const handle = await w.vfs.openDir(inode, op);
  expect(await w.vfs.readDir(handle, 0, op)).toEqual([]);
  await w.rmdir('d');
  await expect(w.vfs.readDir(handle, 0, op)).rejects.toMatchObject({
    code: 'directory-not-found',
  });
  await expect(w.vfs.openDir(inode, op)).rejects.toMatchObject({ code: 'directory-not-found' });
  await expect(w.vfs.openDir(await w.inode('f'), op)).rejects.toMatchObject({
    code: 'not-a-directory',
  });
});
