import { expect } from 'vitest';
import { deleteOne } from '../../src/core/remote-calls.ts';
import { type ContractTest, promise } from './contract-test.ts';
import { noise, OP } from './contract-world.ts';

export const concurrencyTests: readonly ContractTest[] = [
  promise(
    'writes and reads 50 files at once, in directories that nobody made',
    [],
    async (world) => {
      const names = Array.from({ length: 50 }, (_, i) => `a/b${i % 5}/file-${i}`);
      const contents = names.map((_, i) => noise(1000 * i, i + 1));
      await Promise.all(names.map((name, i) => world.put(name, contents[i] ?? '')));
      const back = await Promise.all(names.map((name) => world.read(name)));
      for (const [i, content] of contents.entries()) {
        expect(back[i]?.equals(content)).toBe(true);
      }
    },
  ),

  promise('leaves one of several writes to the same name, whole', [], async (world) => {
    const contents = Array.from({ length: 10 }, (_, i) => noise(150_000 + i, i + 1));
    await Promise.all(contents.map((content) => world.put('file', content)));
    const back = await world.read('file');
    expect(contents.some((content) => content.equals(back))).toBe(true);
    expect(await world.names()).toEqual(['file']);
  }),

  promise('removes 50 files at once', [], async (world) => {
    const names = Array.from({ length: 50 }, (_, i) => `file-${i}`);
    await Promise.all(names.map((name) => world.put(name, name)));
    const files = await Promise.all(names.map((name) => world.file(name)));
    await Promise.all(files.map((file) => deleteOne(world.remote, file, OP)));
    for (const name of names) {
      expect(await world.remote.stat(world.at(name), OP)).toBeUndefined();
    }
  }),
];
