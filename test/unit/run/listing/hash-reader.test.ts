import { expect, test } from 'vitest';
import type { FileEntry, Remote } from '../../../../src/core/remote.ts';
import { ALL } from '../../../../src/engine/consent.ts';
import { startRun } from '../../../../src/engine/run.ts';
import { passAllFilter } from '../../../../src/filter/filter.ts';
import { orderedBatches } from '../../../../src/listing/ordered-batches.ts';
import { pageHashReader } from '../../../../src/run/listing/hash-reader.ts';
import { quietContext, remoteBut, remoteWith } from '../../../support/memory-world.ts';

/** The hashes of files `0` to `count - 1`, in order, and which were asked for one by one. */
async function hashesOf(count: number, atOnce: number, download = false) {
  const contents = Array.from({ length: count }, (_, at) => [`${at}`, 'x'] as const);
  const inner = await remoteWith(Object.fromEntries(contents), { slowHash: true });
  const single: string[] = [];
  const can: Remote['can'] = {
    hash: async ({ path }) => {
      single.push(path);
      return `one ${path}`;
    },
    hashMany: async (files) => {
      expect(files.length).toBeLessThanOrEqual(64);
      // Later groups are there sooner.
      await new Promise((resolve) => setTimeout(resolve, files[0]?.path === '0' ? 20 : 0));
      return files.map(({ path }) => (path.endsWith('7') ? undefined : `many ${path}`));
    },
  };
  const remote = remoteBut(inner, { can });
  const files = contents.map(
    ([path, { length }]): FileEntry => ({
      ...{ kind: 'file', path, size: length },
      ...(path === '5' ? { hashes: { md5: 'listed 5' } } : {}),
    }),
  );
  const { context } = quietContext();
  const run = startRun({ context, filter: passAllFilter, consent: ALL });
  const read = pageHashReader(run, remote, 'md5', { download, tries: 1 }, files);
  const found: (string | undefined)[] = [];
  for await (const batch of orderedBatches(files, atOnce, read)) found.push(...batch);
  return { found, single };
}

test.each([1, 8, 500])('hashes of many files are those of each, %i at once', async (atOnce) => {
  const { found, single } = await hashesOf(300, atOnce);
  expect(found).toEqual(
    Array.from({ length: 300 }, (_, at) => {
      if (at === 5) return 'listed 5';
      return at % 10 === 7 ? `one ${at}` : `many ${at}`;
    }),
  );
  expect(single).toHaveLength(30);
});

test('what is to be downloaded is', async () => {
  const { found, single } = await hashesOf(20, 4, true);
  expect(new Set(found)).toEqual(new Set(['9dd4e461268c8034f5c8564e155c67a6']));
  expect(single).toEqual([]);
});
