import { expect, test } from 'vitest';
import { SyncerError } from '../../../../src/core/errors.ts';
import type { Capabilities, Remote } from '../../../../src/core/remote.ts';
import { overriding } from '../../../support/layered.ts';
import { contentsOf, remoteBut } from '../../../support/memory-world.ts';
import { op, vfsWorld } from '../../../support/vfs-world.ts';

const WITHOUT: readonly (readonly (keyof Capabilities)[])[] = [
  [],
  ['moveDirFrom'],
  ['moveDirFrom', 'moveFrom'],
  ['moveDirFrom', 'moveFrom', 'copyFrom', 'deletesAtOnce'],
];

test.each(WITHOUT.map((without) => [without]))(
  'files and directories keep content, time and number without %j',
  async (without) => {
    const w = await vfsWorld({
      files: { 'd/sub/f': ['content', 77], 'd/empty/': '', g: ['other', 88] },
      memory: { without, slowModTime: true },
    });
    const inode = await w.inode('d/sub/f');
    await w.rename('g', 'd/g');
    await w.rename('d', 'e');
    expect(await w.inode('e/sub/f')).toBe(inode);
    expect(await w.read('e/sub/f')).toBe('content');
    expect(await contentsOf(w.remote)).toEqual({
      'e/sub/f': 'content@77',
      'e/g': 'other@88',
      'e/empty/': '',
    });
  },
);

test('pending and open files follow their directory', async () => {
  const w = await vfsWorld({ files: { 'd/f': 'x' }, waits: true });
  await w.write('d/new', 'waits');
  const handle = await w.open('d/f', { write: true });
  await w.rename('d', 'e');
  await w.vfs.write(handle, 0, Buffer.from('yy'), op);
  await w.vfs.release(handle, op);
  expect([await w.read('e/new'), await w.read('e/f')]).toEqual(['waits', 'yy']);
  await w.contents.uploadAll();
  expect(Object.keys(await contentsOf(w.remote)).sort()).toEqual(['e/f', 'e/new']);
});

test('a file that waits replaces one on the remote, as editors save', async () => {
  const w = await vfsWorld({ files: { f: 'old' }, waits: true });
  await w.write('f.tmp', 'new');
  await w.rename('f.tmp', 'f');
  expect(await w.names('')).toEqual(['f']);
  expect([await w.read('f'), await w.size('f')]).toEqual(['new', 3]);
  await w.contents.uploadAll();
  expect(Object.values(await contentsOf(w.remote))).toEqual(['new@0']);
  await w.unlink('f');
  expect(await contentsOf(w.remote)).toEqual({});
});

test('a file that waited and is removed takes the older one on the remote with it', async () => {
  const w = await vfsWorld({ files: { f: 'old' }, waits: true });
  await w.write('f.tmp', 'new');
  await w.rename('f.tmp', 'f');
  await w.unlink('f');
  expect(await contentsOf(w.remote)).toEqual({});
});

test('where copying a directory fails nothing is lost and nothing half is left', async () => {
  const w = await vfsWorld({
    files: { 'd/a': '1', 'd/b': '2', 'd/c/e': '3' },
    memory: { without: ['moveDirFrom', 'copyFrom'] },
    wrap: (remote) =>
      remoteBut(remote, {
        write: async (source, each) => {
          if (source.path.endsWith('/e')) throw new SyncerError('no-space', 'full');
          return remote.write(source, each);
        },
      }),
  });
  const before = await contentsOf(w.remote);
  await expect(w.rename('d', 'z')).rejects.toMatchObject({ code: 'no-space' });
  expect(await contentsOf(w.remote)).toEqual(before);
  expect(await w.names('')).toEqual(['d']);
  expect(await w.read('d/c/e')).toBe('3');
});

test('a directory takes the place of an empty one only', async () => {
  const w = await vfsWorld({ files: { 'd/f': 'x', 'full/g': 'y', 'empty/': '', file: 'z' } });
  await expect(w.rename('d', 'full')).rejects.toMatchObject({ code: 'not-empty' });
  await expect(w.rename('d', 'file')).rejects.toMatchObject({ code: 'not-a-directory' });
  await expect(w.rename('file', 'd')).rejects.toMatchObject({ code: 'not-a-file' });
  await expect(w.rename('d', 'd/e')).rejects.toMatchObject({ code: 'name-invalid' });
  await w.mkdir('full/deep');
  await w.mkdir('full/deep/deeper');
  await expect(w.rename('full/deep', 'full')).rejects.toMatchObject({ code: 'not-empty' });
  await expect(w.rename('full/deep/deeper', 'full')).rejects.toMatchObject({ code: 'not-empty' });
  await expect(w.rename('d', 'empty', 'no-replace')).rejects.toMatchObject({
    code: 'already-exists',
  });
  await w.rename('d', 'empty');
  expect(await w.names('empty')).toEqual(['f']);
});

test('files that others have put where a directory is to go are not mixed with it', async () => {
  const w = await vfsWorld({
    files: { 'd/f': 'x' },
    memory: { emptyDirs: false, without: ['moveDirFrom'] },
  });
  await w.names('');
  const body = Buffer.from('theirs');
  await w.remote.write({ path: 'e/f', size: 6, seekable: true, open: async () => body }, op);
  await expect(w.rename('d', 'e')).rejects.toMatchObject({ code: 'not-empty' });
  expect(Object.keys(await contentsOf(w.remote))).toEqual(['d/f', 'e/f']);
});

test.each([
  ['file', 'f', 'g'],
  ['directory', 'd', 'g/made/deep'],
])(
  'a %s that a listing misses during its rename is whole afterwards',
  async (_kind, name, left) => {
    const moved = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const w = await vfsWorld({
      files: { f: '1', 'd/x': '2' },
      memory: { emptyDirs: false },
      wrap: (remote) => {
        const answer = async <T>(result: Promise<T>): Promise<T> => {
          await result;
          moved.resolve();
          await answered.promise;
          return result;
        };
        return remoteBut(remote, {
          can: overriding(remote.can, {
            moveFrom:
              (move) =>
              (...args) =>
                answer(move(...args)),
            moveDirFrom:
              (move) =>
              (...args) =>
                answer(move(...args)),
          }),
          listPage: async (...args) => {
            await moved.promise;
            return remote.listPage(...args);
          },
        });
      },
    });
    if (name === 'd') {
      await w.mkdir('d/made');
      await w.mkdir('d/made/deep');
    }
    const listed = w.names('');
    const renamed = w.rename(name, 'g');
    await listed;
    answered.resolve();
    await renamed;
    await w.size(left);
  },
);

test('two renames that cross end as one after the other', async () => {
  const w = await vfsWorld({ files: { 'a/x/1': 'one', 'b/y/2': 'two' } });
  const ended = await Promise.allSettled([w.rename('a/x', 'b/y/x'), w.rename('b/y', 'a/x/y')]);
  expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(Object.keys(await contentsOf(w.remote))).toHaveLength(3);
});

test('a file that is renamed while it is being closed keeps size and content', async () => {
  const w = await vfsWorld({ waits: true });
  const handle = await w.create('f.tmp');
  await w.vfs.write(handle, 0, Buffer.from('hello'), op);
  const inode = await w.inode('f.tmp');
  const renamed = w.rename('f.tmp', 'f');
  const closed = w.vfs.release(handle, op);
  const sizes: number[] = [];
  const look = async () => sizes.push((await w.vfs.getAttributes(inode, 0, op)).size);
  for (let turns = 0; turns < 10; turns++) {
    await look();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all([renamed, closed]);
  expect(new Set(sizes)).toEqual(new Set([5]));
  expect([await w.names(''), await w.size('f'), await w.read('f')]).toEqual([['f'], 5, 'hello']);
});

test('nothing gets a path that the remote can never store', async () => {
  const short = (remote: Remote) => remoteBut(remote, { isTooLong: ({ length }) => length > 10 });
  const w = await vfsWorld({ files: { 'dir/file': 'x' }, wrap: short, waits: true });
  const refused = { code: 'name-invalid', message: expect.stringContaining('too long') };
  await expect(w.write('dir/1234567', 'x')).rejects.toMatchObject(refused);
  await expect(w.mkdir('dir/1234567')).rejects.toMatchObject(refused);
  await expect(w.rename('dir/file', 'dir/1234567')).rejects.toMatchObject(refused);
  await expect(w.rename('dir', '12345678901')).rejects.toMatchObject(refused);
  await w.write('dir/123456', 'waits');
  await expect(w.rename('dir', 'dirs')).rejects.toMatchObject(refused);
  expect(await w.names('dir')).toEqual(['123456', 'file']);
});
