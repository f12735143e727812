import { expect, test } from 'vitest';
import { remoteBut } from '../../support/memory-world.ts';
import { vfsWorld } from '../../support/vfs-world.ts';

test('what arrives while its directory is read for the first time is there', async () => {
  const first = await vfsWorld({ waits: true });
  await first.write('a', 'kept');
  const early = remoteBut(first.remote, {
    async listPage(dir, cursor, op) {
      const page = await first.remote.listPage(dir, cursor, op);
      await first.contents.uploadAll();
      return page;
    },
    async stat(path, op) {
      const found = await first.remote.stat(path, op);
      await first.contents.uploadAll();
      return found;
    },
  });
  const next = await vfsWorld({ contents: first.contents, wrap: () => early });
  expect(await next.read('a')).toBe('kept');
  expect(await next.names('')).toEqual(['a']);
});
