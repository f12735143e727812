import { expect, test } from 'vitest';
import { compareEntries } from '../../../src/core/name-order.ts';
import type { Entry, FileEntry } from '../../../src/core/remote.ts';
import { EntrySorter } from '../../../src/engine/sorted-listing.ts';
import { contentsOf, remoteBut, remoteWith, runOnce } from '../../support/memory-world.ts';

const file = (path: string): FileEntry => ({
  ...{ kind: 'file', path, size: 1, modTime: 5n, hashes: { md5: 'm' } },
});

test.each([undefined, 3, 0])(
  'entries come sorted and whole with a cutoff of %o',
  async (cutoff) => {
    const told: number[] = [];
    const sorter = new EntrySorter(cutoff, (n) => told.push(n));
    const entries: Entry[] = [
      file('b'),
      { kind: 'dir', path: 'b' },
      file('a'),
      file('\udc80'),
      file('c'),
    ];
    for (const entry of entries) await sorter.add([entry]);
    expect([...sorter.pages()].flat()).toEqual(entries.toSorted(compareEntries));
    expect(told).toEqual(cutoff === undefined ? [] : [cutoff]);
    sorter.close();
  },
);

test('a sync of a store that lists in any order works on disk as in memory', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 3000 }, (_, i) => [`d/${(i * 7919) % 3001}`, `${i}`]),
  );
  const source = await remoteWith(files);
  const store = await remoteWith({ ...files, 'd/extra': 'e', 'd/0': 'changed' });
  const dest = remoteBut(store, {
    traits: { ...store.traits, sortedPages: false },
    listPage: async (...args) => {
      const page = await store.listPage(...args);
      return { ...page, entries: page.entries.toReversed() };
    },
  });
  const { error, transferred } = await runOnce('sync', source, dest, {}, undefined, undefined, 100);
  expect([error, transferred]).toEqual([undefined, 1]);
  expect(await contentsOf(store)).toEqual(await contentsOf(source));
});
