import { expect, test } from 'vitest';
import { contentsOf, remoteBut } from '../../../support/memory-world.ts';
import { op, vfsWorld } from '../../../support/vfs-world.ts';

const OBJECTS = { emptyDirs: false };

test('on a store without empty directories one lives here until something is in it', async () => {
  const w = await vfsWorld({ memory: OBJECTS });
  await w.mkdir('d');
  await w.mkdir('d/e');
  w.vfs.refresh();
  await w.clock.advance(900_000);
  expect([await w.names(''), await w.names('d')]).toEqual([['d'], ['e']]);
  await w.write('d/e/f', 'x');
  expect(Object.keys(await contentsOf(w.remote))).toEqual(['d/e/f']);
  await expect(w.rmdir('d')).rejects.toMatchObject({ code: 'not-empty' });
});

test('and stays when the last file in it is removed, until it is removed itself', async () => {
  const w = await vfsWorld({ files: { 'd/e/f': 'x' }, memory: OBJECTS });
  await w.unlink('d/e/f');
  w.vfs.refresh();
  expect(await w.names('d')).toEqual(['e']);
  await w.rmdir('d/e');
  await w.rmdir('d');
  w.vfs.refresh();
  expect(await w.names('')).toEqual([]);
});

test('a directory that is used before its creation ends keeps what was put in it', async () => {
  const made = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const w = await vfsWorld({
    wrap: (remote) =>
      remoteBut(remote, {
        makeDir: async (dir, each) => {
          await remote.makeDir(dir, each);
          if (dir !== 'd') return;
          made.resolve();
          await answered.promise;
        },
      }),
  });
  const making = w.mkdir('d');
  await made.promise;
  w.vfs.refresh();
  await w.mkdir('d/e');
  answered.resolve();
  await making;
  expect(await w.names('d')).toEqual(['e']);
});

test('whether a directory is empty is judged by what the remote has now', async () => {
  for (const emptyDirs of [true, false]) {
    const w = await vfsWorld({ files: { 'd/f': 'x' }, memory: { emptyDirs } });
    await w.unlink('d/f');
    const body = Buffer.from('by others');
    const source = { path: 'd/g', size: body.length, seekable: true, open: async () => body };
    await w.remote.write(source, op);
    await expect(w.rmdir('d')).rejects.toMatchObject({ code: 'not-empty' });
    expect(await w.names('d')).toEqual(['g']);
  }
});

test('a directory with a file that waits to be uploaded is not empty', async () => {
  const w = await vfsWorld({ waits: true });
  await w.mkdir('d');
  await w.write('d/f', 'x');
  await expect(w.rmdir('d')).rejects.toMatchObject({ code: 'not-empty' });
});

test('names are checked', async () => {
  const w = await vfsWorld({ files: { f: 'x' } });
  await expect(w.mkdir('f')).rejects.toMatchObject({ code: 'already-exists' });
  await expect(w.rmdir('f')).rejects.toMatchObject({ code: 'not-a-directory' });
  await expect(w.rmdir('none')).rejects.toMatchObject({ code: 'file-not-found' });
  await expect(w.mkdir('ü'.repeat(128))).rejects.toMatchObject({ code: 'name-invalid' });
  await w.mkdir('ü'.repeat(127));
});
