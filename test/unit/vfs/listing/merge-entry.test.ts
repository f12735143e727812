import { expect, test } from 'vitest';
import { op, type VfsWorld, vfsWorld } from '../../../support/vfs-world.ts';

test('who reads a file that another client replaces keeps its size; who opens it next gets the new file', async () => {
  for (const way of ['listed', 'asked'] as const) {
    const w = await vfsWorld({ files: { f: 'long before' } });
    const handle = await w.open('f');
    const inode = await w.inode('f');
    await writeElsewhere(w, 'f', 'new');
    w.vfs.refresh();
    if (way === 'listed') await w.names('');
    expect(await w.inode('f')).not.toBe(inode);
    expect(w.told).toContain('entry f');
    expect((await w.vfs.getAttributes(inode, handle, op)).size).toBe(11);
    expect([await w.size('f'), await w.read('f')]).toEqual([3, 'new']);
    await w.vfs.release(handle, op);
    // The kernel may open the old number until it hears of the new one: it looks the name up again.
    const flags = { read: true, write: false, truncate: false, exclusive: false };
    await expect(w.vfs.open(inode, flags, op)).rejects.toMatchObject({ code: 'source-changed' });
  }
});

test('a file that is closed, or open for writing, keeps its number', async () => {
  const w = await vfsWorld({ files: { f: 'before', g: 'before' } });
  const inodes = [await w.inode('f'), await w.inode('g')];
  await w.open('f', { write: true });
  await writeElsewhere(w, 'f', 'new');
  await writeElsewhere(w, 'g', 'new');
  w.vfs.refresh();
  expect([await w.inode('f'), await w.inode('g')]).toEqual(inodes);
});

async function writeElsewhere({ remote, clock }: VfsWorld, path: string, text: string) {
  await clock.advance(1000);
  const body = Buffer.from(text);
  await remote.write({ path, size: body.length, seekable: true, open: async () => body }, op);
}
