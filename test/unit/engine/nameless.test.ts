import { describe, expect, test } from 'vitest';
import { namelessFile } from '../../../src/core/nameless.ts';
import type { Page, Remote } from '../../../src/core/remote.ts';
import { buildFilter } from '../../../src/filter/build-filter.ts';
import { contentsOf, remoteBut, remoteWith, runOnce } from '../../support/memory-world.ts';

/** The remote, with an object in its root that has no name there. */
function withNameless(remote: Remote): Remote {
  return remoteBut(remote, {
    async listPage(dir, cursor, op): Promise<Page> {
      const page = await remote.listPage(dir, cursor, op);
      return dir === '' ? { ...page, failed: [namelessFile('/odd.bin')] } : page;
    },
  });
}

describe('objects without a name', () => {
  test.each(['copy', 'sync', 'move'] as const)('at the source fail a %s', async (verb) => {
    const source = withNameless(await remoteWith({ a: 'a' }));
    const dest = await remoteWith({ old: 'o' });
    const { error } = await runOnce(verb, source, dest);
    expect(error?.code).toBe(verb === 'sync' ? 'no-deletes' : 'name-invalid');
    expect(error?.message).toContain('/odd.bin');
    expect(await contentsOf(dest)).toEqual({ a: 'a@1000', old: 'o@1000' });
  });

  test.each([
    ['copy', true],
    ['move', true],
    ['sync', false],
  ] as const)(
    'at the destination of a %s matter where something is deleted',
    async (verb, isFine) => {
      const dest = await remoteWith({ old: 'o' });
      const { error } = await runOnce(verb, await remoteWith({ a: 'a' }), withNameless(dest));
      expect(error === undefined).toBe(isFine);
      expect(await contentsOf(dest)).toEqual({ a: 'a@1000', old: 'o@1000' });
    },
  );

  test.each([{ exclude: ['*.bin'] }, { include: ['a'] }, { exclude: ['//**'] }])(
    'that a filter leaves out fail nothing: %j',
    async (flags) => {
      const source = withNameless(await remoteWith({ a: 'a' }));
      const dest = await remoteWith({});
      const filter = await buildFilter(flags, async () => '', 0);
      const { error } = await runOnce('sync', source, dest, {}, filter);
      expect(error).toBeUndefined();
      expect(await contentsOf(dest)).toEqual({ a: 'a@1000' });
    },
  );
});
