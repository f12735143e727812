import { expect } from 'vitest';
import { deleteOne } from '../../src/core/remote-calls.ts';
import { type ContractTest, promise, promiseWithout } from './contract-test.ts';
import { expectError, OP } from './contract-world.ts';

export const directoryTests: readonly ContractTest[] = [
  promise('makes a directory with its parents; again is fine', ['directories'], async (world) => {
    await world.remote.makeDir(world.at('a/b/c'), OP);
    await world.remote.makeDir(world.at('a/b/c'), OP);
    await world.remote.makeDir(world.at('a'), OP);
    expect(await world.names()).toEqual(['a/']);
    expect(await world.names('a/b')).toEqual(['c/']);
    expect(await world.names('a/b/c')).toEqual([]);
    expect(await world.remote.stat(world.at('a/b/c'), OP)).toMatchObject({ kind: 'dir' });
  }),

  promise('makes the same directory many times at once', ['directories'], async (world) => {
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => world.remote.makeDir(world.at(`a/b/c${i % 3}`), OP)),
    );
    expect((await world.names('a/b')).sort()).toEqual(['c0/', 'c1/', 'c2/']);
  }),

  promise(
    'does not make a directory over a file or below one',
    ['directories', 'oneKindPerName'],
    async (world) => {
      await world.put('file', 'x');
      for (const path of ['file', 'file/below']) {
        await expectError(
          world.remote.makeDir(world.at(path), OP),
          'not-a-directory',
          'already-exists',
        );
      }
      expect(await world.text('file')).toBe('x');
    },
  ),

  promise('removes an empty directory and only that', ['directories'], async (world) => {
    await world.remote.makeDir(world.at('a/b'), OP);
    await expectError(world.remote.deleteDir(world.at('a'), OP), 'not-empty');
    await world.remote.deleteDir(world.at('a/b'), OP);
    await world.remote.deleteDir(world.at('a'), OP);
    await world.put('c/file', 'x');
    await expectError(world.remote.deleteDir(world.at('c'), OP), 'not-empty');
    expect(await world.text('c/file')).toBe('x');
  }),

  promise('rejects when the directory to remove is missing', ['directories'], async (world) => {
    await expectError(world.remote.deleteDir(world.at('missing'), OP), 'directory-not-found');
  }),

  promise('does not remove a file as a directory', ['directories'], async (world) => {
    await world.put('file', 'x');
    await expectError(
      world.remote.deleteDir(world.at('file'), OP),
      'not-a-directory',
      'directory-not-found',
    );
    expect(await world.text('file')).toBe('x');
  }),

  promiseWithout('directories', 'makes and removes directories as nothing', async (world) => {
    await world.remote.makeDir(world.at('a/b'), OP);
    await world.put('c/file', 'x');
    await world.remote.deleteDir(world.at('c'), OP);
    await world.remote.deleteDir(world.at('a'), OP);
    expect(await world.text('c/file')).toBe('x');
    expect(await world.names()).toEqual(['c/']);
  }),

  promiseWithout('directories', 'forgets a directory with its last file', async (world) => {
    await world.put('a/b/file', 'x');
    await deleteOne(world.remote, await world.file('a/b/file'), OP);
    expect(await world.remote.stat(world.at('a'), OP)).toBeUndefined();
  }),
];
