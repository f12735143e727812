import { expect, test } from 'vitest';
import { listRoot } from '../../../../../commands/config/wizard/wizard-works.ts';
import { type ErrorCode, SyncerError } from '../../../../../src/core/errors.ts';
import type { Page, Remote } from '../../../../../src/core/remote.ts';

const op = { signal: new AbortController().signal };

function remoteOf(pages: Readonly<Record<string, Page | SyncerError>>, bucketBased = true): Remote {
  return {
    traits: { bucketBased },
    listPage: async (dir: string) => {
      const page = pages[dir];
      if (page === undefined || page instanceof SyncerError) throw page;
      return page;
    },
  } as unknown as Remote;
}

const buckets: Page = {
  entries: ['a', 'b', 'c', 'd', 'e', 'f'].map((path) => ({ kind: 'dir', path })),
  cursor: 'more',
};

test('the root and its first bucket are listed', async () => {
  const found = await listRoot(remoteOf({ '': buckets, a: { entries: [] } }), op);
  expect(found).toEqual({ entries: 6, hasMore: true, names: ['a', 'b', 'c', 'd', 'e'] });
});

test('a disk is listed once', async () => {
  expect((await listRoot(remoteOf({ '': buckets }, false), op)).entries).toBe(6);
});

test.each<[ErrorCode, string]>([
  ['network', 'force_path_style = true'],
  ['access-denied', 'Another bucket may work'],
])(
  'a bucket that cannot be listed (%s) is told apart from the list of buckets',
  async (code, advice) => {
    const remote = remoteOf({ '': buckets, a: new SyncerError(code, 'no such host a.s3') });
    await expect(listRoot(remote, op)).rejects.toMatchObject({
      code,
      message: 'the buckets can be listed, but not the contents of "a": no such host a.s3',
      advice: expect.stringContaining(advice),
    });
  },
);
