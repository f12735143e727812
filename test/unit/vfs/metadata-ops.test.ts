import { expect, test } from 'vitest';
import type { Metadata } from '../../../src/core/entry-details.ts';
import { SyncerError } from '../../../src/core/errors.ts';
import { withLinks } from '../../../src/vfs/link-ops.ts';
import { withMetadataOps } from '../../../src/vfs/metadata-ops.ts';
import { type Inode, ROOT_INODE } from '../../../src/vfs/mount-ops.ts';
import { remoteBut } from '../../support/memory-world.ts';
import { op, vfsWorld } from '../../support/vfs-world.ts';

const READ = { read: true, write: false, truncate: false, exclusive: false };

/** A file system whose files have the metadata of `known`, or fail with it. */
async function shown(files: Record<string, string>, known: Record<string, Metadata | Error> = {}) {
  const w = await vfsWorld({ files, waits: false });
  const remote = remoteBut(w.remote, {
    can: {
      ...w.remote.can,
      details: {
        async read(file) {
          const metadata = known[file.path];
          if (metadata instanceof Error) throw metadata;
          return metadata === undefined ? file : { ...file, metadata };
        },
      },
    },
  });
  const ops = withMetadataOps(withLinks(w.vfs, 0o777), remote, '.meta');
  const textOf = async (inode: Inode) => {
    const { handle } = await ops.open(inode, READ, op);
    const bytes = await ops.read(handle, 0, 4096, op);
    await ops.flush(handle, op);
    await ops.release(handle, op);
    return Buffer.from(bytes).toString();
  };
  const text = async (name: string, parent: Inode = ROOT_INODE) =>
    textOf((await ops.lookup(parent, name, op)).inode);
  return { w, ops, text, textOf };
}

const code = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error) => error.code,
  );

test('metadata is shown with sorted names, with errors in it, and of links by their files', async () => {
  const { w, ops, text } = await shown(
    { 'd/f': 'x', bad: 'x', plain: 'x', 'l.rclonelink': 'plain', 'own.meta': 'own', own: 'x' },
    {
      'd/f': { mtime: 'now', 'a<b': 'é' },
      bad: new SyncerError('server', 'bad: the server fails'),
      'l.rclonelink': { is: 'link' },
    },
  );
  const dir = await w.inode('d');
  expect(await text('f.meta', dir)).toBe('{\n\t"a\\u003cb": "é",\n\t"mtime": "now"\n}');
  expect(await text('bad.meta')).toBe('{"error":"bad: the server fails"}');
  expect(await text('plain.meta')).toBe('{}');
  expect(await text('l.meta')).toBe('{\n\t"is": "link"\n}');
  expect(await text('own.meta')).toBe('own');
  expect(await text('d.meta')).toBe('{}');
  for (const name of ['.meta', 'none.meta', 'plain.meta.meta', 'l.rclonelink.meta', 'plainxmeta']) {
    expect(await code(ops.lookup(ROOT_INODE, name, op)), name).toBe('file-not-found');
  }
  expect(await w.names('d')).toEqual(['f']);
});

test('its attributes are those of the entry, read-only, with the size of the text', async () => {
  const { ops } = await shown({ f: 'content' }, { f: { a: 'b' } });
  const of = await ops.lookup(ROOT_INODE, 'f', op);
  const found = await ops.lookup(ROOT_INODE, 'f.meta', op);
  const { modTime, uid, gid } = of;
  expect(found).toMatchObject({ kind: 'file', size: 13, modTime, uid, gid, mode: of.mode & 0o444 });
  expect(await ops.getAttributes(found.inode, undefined, op)).toEqual(found);
  expect(ops.pathOf(found.inode)).toBe('f.meta');
  expect((await ops.lookup(ROOT_INODE, 'f.meta', op)).inode).toBe(found.inode);
  ops.forget(found.inode, 1);
  expect(ops.pathOf(found.inode)).toBe('f.meta');
  ops.forget(found.inode, 1);
  expect(ops.pathOf(found.inode)).toBeUndefined();
});

test('changed metadata is shown by the next lookup; an open file keeps its own', async () => {
  const known: Record<string, Metadata> = { f: { a: 'old' } };
  const { ops, text } = await shown({ f: 'x' }, known);
  const { inode } = await ops.lookup(ROOT_INODE, 'f.meta', op);
  const { handle } = await ops.open(inode, READ, op);
  known['f'] = { a: 'newer' };
  expect(await text('f.meta')).toContain('newer');
  expect(Buffer.from(await ops.read(handle, 3, 9, op)).toString()).toBe('"a": "old');
  await ops.release(handle, op);
});

test('it cannot be written, deleted or renamed, but a file can take its name', async () => {
  const { w, ops, text } = await shown({ f: 'x', g: 'own' });
  const { inode } = await ops.lookup(ROOT_INODE, 'f.meta', op);
  const refused = [
    ops.open(inode, { ...READ, write: true }, op),
    ops.open(inode, { ...READ, truncate: true }, op),
    ops.setAttributes(inode, { size: 0 }, undefined, op),
    ops.unlink(ROOT_INODE, 'f.meta', op),
    ops.rename(
      { parent: ROOT_INODE, name: 'f.meta' },
      { parent: ROOT_INODE, name: 'h' },
      'replace',
      op,
    ),
  ];
  for (const one of refused) expect(await code(one)).toBe('access-denied');
  expect(await code(ops.unlink(ROOT_INODE, 'none.meta', op))).toBe('file-not-found');
  expect(await w.names('')).toEqual(['f', 'g']);
  const to = { parent: ROOT_INODE, name: 'f.meta' };
  await ops.rename({ parent: ROOT_INODE, name: 'g' }, to, 'replace', op);
  expect(await text('f.meta')).toBe('own');
  await ops.unlink(ROOT_INODE, 'f.meta', op);
  expect(await text('f.meta')).toBe('{}');
});
