import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import { deleteOne } from '../../../../src/core/remote-calls.ts';
import { ROOT_INODE } from '../../../../src/vfs/mount-ops.ts';
import { foldsNames } from '../../../support/folding-disk.ts';
import { remoteBut } from '../../../support/memory-world.ts';
import { op, type VfsWorld, vfsWorld } from '../../../support/vfs-world.ts';
import { openLocal } from '../../backends/local/local-world.ts';

const gate = () => Promise.withResolvers<void>();

const FILES = { 'd/a': '1', 'd/b': '22', top: '333' };

test('a directory is listed once for all who look at it, and again when that is too old', async () => {
  const w = await vfsWorld({ files: FILES, network: true });
  await Promise.all([w.names('d'), w.names('d'), w.size('d/a')]);
  await expect(w.inode('d/none')).rejects.toMatchObject({ code: 'file-not-found' });
  expect(w.calls).toEqual(['listPage ', 'listPage d']);
  await w.clock.advance(300_000);
  await w.names('d');
  expect(w.calls.slice(2)).toEqual(['listPage ', 'listPage d']);
});

test('own changes are seen at once, without listing anew', async () => {
  const w = await vfsWorld({ files: FILES, network: true });
  await w.names('d');
  const before = w.calls.length;
  await w.write('d/c', 'new');
  await w.unlink('d/a');
  await w.rename('d/b', 'd/z');
  await w.mkdir('d/sub');
  expect(await w.names('d')).toEqual(['c', 'sub', 'z']);
  expect(await w.names('d/sub')).toEqual([]);
  expect(w.calls.slice(before).filter((call) => call.startsWith('listPage'))).toEqual([]);
});

test('what others have changed is seen when the listing is too old, or at refresh', async () => {
  const w = await vfsWorld({ files: FILES });
  await w.names('d');
  const a = await w.inode('d/a');
  await deleteOne(w.remote, { kind: 'file', path: 'd/b', size: 2 }, op);
  expect(await w.names('d')).toEqual(['a', 'b']);
  w.vfs.refresh();
  expect(await w.names('d')).toEqual(['a']);
  expect(await w.inode('d/a')).toBe(a);
});

test('the kernel is to forget a file that others have deleted, if it knows it', async () => {
  const w = await vfsWorld({ files: FILES });
  await w.inode('d/b');
  for (const path of ['d/a', 'd/b']) await deleteOne(w.remote, { kind: 'file', path, size: 1 }, op);
  await w.clock.advance(300_000);
  expect(await w.names('d')).toEqual([]);
  expect(w.told).toEqual(['entry b']);
});

test('a listing that cannot be read is an error, never an empty directory', async () => {
  let fails = true;
  const w = await vfsWorld({
    files: FILES,
    memory: { pageSize: 1 },
    wrap: (remote) =>
      remoteBut(remote, {
        listPage: async (dir, cursor, each) => {
          if (fails && cursor !== undefined) throw new SyncerError('network', 'cut');
          return remote.listPage(dir, cursor, each);
        },
      }),
  });
  await expect(w.names('d')).rejects.toMatchObject({ code: 'network' });
  fails = false;
  expect(await w.names('d')).toEqual(['a', 'b']);
});

test('what is written while a listing is being read is in it', async () => {
  const answered = gate();
  const w = await vfsWorld({
    files: FILES,
    wrap: (remote) =>
      remoteBut(remote, {
        listPage: async (dir, cursor, each) => {
          const page = await remote.listPage(dir, cursor, each);
          if (dir === 'd') await answered.promise;
          return page;
        },
      }),
  });
  const listed = w.names('d');
  await w.write('d/c', 'new');
  await w.unlink('d/a');
  answered.resolve();
  expect(await listed).toEqual(['b', 'c']);
});

test.each([
  ['deleted', 'a', (w: VfsWorld) => w.unlink('a'), ['b', 'd']],
  ['renamed', 'a', (w: VfsWorld) => w.rename('a', 'c'), ['b', 'c', 'd']],
  ['deleted, a directory', 'd', (w: VfsWorld) => w.rmdir('d'), ['a', 'b']],
] as const)(
  'a name that is %s stays away if a lookup misses it and an older listing has it',
  async (_what, name, change, left) => {
    const gates = { gone: gate(), listed: gate(), done: gate() };
    let stats = 0;
    const w = await vfsWorld({
      files: { a: '1', b: '22', 'd/': '' },
      memory: { without: ['moveFrom', 'copyFrom'] },
      wrap: (remote) =>
        remoteBut(remote, {
          listPage: async (...args) => {
            const page = await remote.listPage(...args);
            await gates.listed.promise;
            return page;
          },
          stat: async (...args) => {
            if (stats++ === 0) await gates.gone.promise;
            return remote.stat(...args);
          },
          delete: async (...args) => {
            const failures = await remote.delete(...args);
            gates.gone.resolve();
            await gates.done.promise;
            return failures;
          },
          deleteDir: async (...args) => {
            await remote.deleteDir(...args);
            gates.gone.resolve();
            await gates.done.promise;
          },
        }),
    });
    const listed = w.names('');
    const looked = w.inode(name);
    const changed = change(w);
    await expect(looked).rejects.toMatchObject({ code: 'file-not-found' });
    gates.listed.resolve();
    await listed;
    gates.done.resolve();
    await changed;
    expect(await w.names('')).toEqual(left);
  },
);

test('a response from before a failed change does not count after it', async () => {
  const answered = gate();
  let stats = 0;
  const w = await vfsWorld({
    files: { a: '1' },
    wrap: (remote) =>
      remoteBut(remote, {
        stat: async (...args) => {
          const isFirst = stats++ === 0;
          const entry = await remote.stat(...args);
          if (isFirst) await answered.promise;
          return entry;
        },
        delete: async (...args) => {
          await remote.delete(...args);
          throw new SyncerError('network', 'the line is cut');
        },
      }),
  });
  const looked = w.inode('a');
  await expect(w.unlink('a')).rejects.toMatchObject({ code: 'network' });
  answered.resolve();
  await looked;
  await expect(w.inode('a')).rejects.toMatchObject({ code: 'file-not-found' });
});

test('one name of a large directory is asked for by itself, many make it worth a listing', async () => {
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`big/f${i}`, 'x']));
  const w = await vfsWorld({ files, memory: { pageSize: 10 }, network: true });
  expect(await w.size('big/f7')).toBe(1);
  await w.size('big/f7');
  const asked = () => w.calls.filter((call) => call.startsWith('stat big/'));
  expect(asked()).toEqual(['stat big/f7']);
  for (let i = 0; i < 30; i++) await w.size(`big/f${i}`);
  expect(asked().length).toBeLessThan(30);
  expect(w.calls.filter((call) => call === 'listPage big')).toHaveLength(4);
});

test('hidden names do not exist, and nothing can be put in their place', async () => {
  const isShown = ({ path }: { path: string }) => !path.endsWith('hidden');
  const w = await vfsWorld({ files: { ...FILES, 'd/hidden': 'x' }, options: { isShown } });
  expect(await w.names('d')).toEqual(['a', 'b']);
  await expect(w.size('d/hidden')).rejects.toMatchObject({ code: 'file-not-found' });
  await expect(w.write('d/hidden', '')).rejects.toMatchObject({ code: 'access-denied' });
  await expect(w.rename('d/a', 'd/hidden')).rejects.toMatchObject({ code: 'access-denied' });
  await w.unlink('d/a');
  await w.unlink('d/b');
  await expect(w.rmdir('d')).rejects.toMatchObject({ code: 'not-empty' });
});

test('names in any case, where the store or the user does not mind', async () => {
  const w = await vfsWorld({ files: { 'Dir/File': 'x' }, options: { caseInsensitive: true } });
  expect(await w.read('dir/FILE')).toBe('x');
  await w.write('DIR/file', 'yy');
  expect(await w.names('Dir')).toEqual(['File']);
  await w.rename('Dir/File', 'Dir/file');
  expect(await w.names('Dir')).toEqual(['file']);
  expect(await w.read('Dir/FILE')).toBe('yy');
});

test.each(['one', 'apart'] as const)(
  'a disk that ignores case and was empty: inode numbers %s',
  async (inodes) => {
    const { remote, dir } = openLocal();
    onTestFinished(foldsNames(dir, inodes));
    const w = await vfsWorld({ wrap: () => remote, waits: true });
    expect(readdirSync(dir)).toEqual([]);
    await w.write('a', 'one');
    await w.write('A', 'two');
    expect(await w.names('')).toEqual(['a']);
    expect(await w.read('a')).toBe('two');
    const readOnly = await vfsWorld({ wrap: () => remote, options: { readOnly: true } });
    expect(await readOnly.names('')).toEqual([]);
  },
);

test('names that no file system has are left out', async () => {
  const w = await vfsWorld({
    wrap: (remote) =>
      remoteBut(remote, {
        listPage: async () => ({
          entries: ['', '.', '..', 'a/b', 'ok'].map((path) => ({ kind: 'dir', path }) as const),
        }),
      }),
  });
  expect(await w.names('')).toEqual(['ok']);
  expect((await w.vfs.lookup(ROOT_INODE, 'ok', op)).kind).toBe('dir');
});
