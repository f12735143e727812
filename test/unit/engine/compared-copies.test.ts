import { expect, test } from 'vitest';
import type { FileEntry } from '../../../src/core/remote.ts';
import { remoteBut, remoteWith, runOnce } from '../../support/memory-world.ts';

test.each<[string, Partial<FileEntry>]>([
  ['another size', { size: 3 }],
  ['another hash', { hashes: { md5: '0123456789abcdef0123456789abcdef' } }],
])('a copy of which the destination reports %s fails and is taken back', async (_, reported) => {
  const source = await remoteWith({ f: 'content' });
  const memory = await remoteWith({});
  const taken: string[] = [];
  const dest = remoteBut(memory, {
    write: async (file, op) => ({ ...(await memory.write(file, op)), ...reported }),
    can: {
      ...memory.can,
      async takeBack({ path }) {
        taken.push(path);
      },
    },
  });
  const { error } = await runOnce('move', source, dest, { lowLevelRetries: 1 });
  expect(error?.code).toBe('corrupted');
  expect(taken).toEqual(['f']);
  expect(await source.stat('f', { signal: new AbortController().signal })).toBeDefined();
});
