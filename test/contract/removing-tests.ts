import { expect } from 'vitest';
import type { FileEntry } from '../../src/core/remote.ts';
import { deleteOne } from '../../src/core/remote-calls.ts';
import { type ContractTest, promise } from './contract-test.ts';
import { expectError, OP } from './contract-world.ts';

export const removingTests: readonly ContractTest[] = [
  promise('removes a file and only that', [], async (world) => {
    for (const name of ['a', 'ab', 'dir/a']) await world.put(name, name);
    await deleteOne(world.remote, await world.file('a'), OP);
    expect((await world.names()).sort()).toEqual(['ab', 'dir/']);
    expect(await world.names('dir')).toEqual(['a']);
  }),

  promise('rejects when the file to remove is missing', ['tellsMissing'], async (world) => {
    await world.put('file', 'x');
    const file = await world.file('file');
    await deleteOne(world.remote, file, OP);
    await expectError(deleteOne(world.remote, file, OP), 'file-not-found');
  }),

  promise('does not remove a directory as a file', ['directories'], async (world) => {
    await world.put('dir/file', 'x');
    const notAFile: FileEntry = { kind: 'file', path: world.at('dir'), size: 0 };
    await expectError(deleteOne(world.remote, notAFile, OP));
    expect(await world.text('dir/file')).toBe('x');
  }),

  promise('removes many files at once', ['deletesAtOnce'], async (world) => {
    const names = ['a', 'b &<>', 'dir/c', 'd␊e', 'keep'];
    for (const name of names) await world.put(name, name);
    const files = await Promise.all(names.slice(0, 4).map((name) => world.file(name)));
    const failures = await world.remote.delete(files, OP);
    expect(failures.size).toBe(0);
    for (const name of names.slice(0, 4)) {
      expect(await world.remote.stat(world.at(name), OP)).toBeUndefined();
    }
    expect(await world.text('keep')).toBe('keep');
  }),

  promise('removes the others of many when one is missing', ['deletesAtOnce'], async (world) => {
    for (const name of ['a', 'b', 'c']) await world.put(name, name);
    const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => world.file(name)));
    if (a === undefined || b === undefined || c === undefined) throw new Error('unreachable');
    await deleteOne(world.remote, b, OP);
    const failures = await world.remote.delete([a, b, c], OP);
    // Stores that cannot tell (S3) have no failure at all.
    for (const failed of failures.keys()) expect(failed).toBe(b);
    for (const name of ['a', 'b', 'c']) {
      expect(await world.remote.stat(world.at(name), OP)).toBeUndefined();
    }
  }),

  promise(
    'purges a directory with all below it, and nothing beside it',
    ['purge'],
    async (world) => {
      for (const name of ['dir/a', 'dir/b/c', 'dir-2/x', 'dir.txt']) await world.put(name, name);
      await world.remote.can.purge?.(world.at('dir'), OP);
      expect((await world.names()).sort()).toEqual(['dir-2/', 'dir.txt']);
      expect(await world.remote.stat(world.at('dir'), OP)).toBeUndefined();
      expect(await world.text('dir-2/x')).toBe('dir-2/x');
    },
  ),

  promise('rejects when the directory to purge is missing', ['purge'], async (world) => {
    await world.put('file', 'x');
    await expectError(
      world.remote.can.purge?.(world.at('missing'), OP) ?? Promise.resolve(),
      'directory-not-found',
    );
  }),

  promise('does not purge a file', ['purge', 'directories'], async (world) => {
    await world.put('file', 'x');
    await expectError(world.remote.can.purge?.(world.at('file'), OP) ?? Promise.resolve());
    expect(await world.text('file')).toBe('x');
  }),
];
