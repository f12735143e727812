import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../../support/open-s3.ts';

let s3: TestS3;
beforeEach(async () => {
  s3 = await startTestS3();
});
afterEach(() => s3.stop());

/** A remote with pages of two files; each look at the clock is `tickMs` later than the one before. */
async function openWith(root: string, tickMs: number, options: Record<string, string> = {}) {
  let now = 0;
  const monotonic = () => {
    now += tickMs;
    return now;
  };
  const opened = await openS3(s3, root, { options: { list_chunk: '2', ...options }, monotonic });
  return opened.remote;
}

async function fill(bucket: string, count: number): Promise<string[]> {
  const { remote } = await openS3(s3, bucket);
  await remote.makeDir('', OP);
  const paths = Array.from({ length: count }, (_, i) => `d${i % 3}/f${String(i).padStart(3, '0')}`);
  for (const path of paths) await remote.write(sourceOf(path, path), OP);
  await remote.close();
  return paths;
}

async function listed(remote: Awaited<ReturnType<typeof openWith>>, dir = ''): Promise<string[]> {
  const paths: string[] = [];
  for await (const entries of remote.can.listTreeUnordered?.(dir, 10, OP) ?? []) {
    for (const entry of entries) {
      expect(entry).toMatchObject({ kind: 'file', hashes: { md5: expect.any(String) } });
      paths.push(entry.path);
    }
  }
  await remote.close();
  return paths;
}

const lists = () => s3.log.count('ListObjectsV2');

test.each([{}, { list_version: '1' }])(
  'a store far away is listed in parts: %o',
  async (options) => {
    const paths = await fill('bucket', 120);
    const got = await listed(await openWith('bucket', 50, options));
    expect(got).not.toEqual(got.toSorted());
    expect(got.sort()).toEqual(paths.sort());
  },
);

test('a store nearby gets few requests more than pages', async () => {
  const paths = await fill('bucket', 60);
  const before = lists();
  const got = await listed(await openWith('bucket', 0.1));
  expect(got.sort()).toEqual(paths.sort());
  expect(lists() - before).toBeLessThanOrEqual(30 + 24);
});

test('all buckets, and a directory', async () => {
  const paths = await fill('bucket-a', 40);
  await fill('bucket-b', 3);
  expect(await listed(await openWith('', 50))).toHaveLength(43);
  expect((await listed(await openWith('', 50), 'bucket-a/d1')).sort()).toEqual(
    paths
      .filter((path) => path.startsWith('d1/'))
      .map((path) => `bucket-a/${path}`)
      .sort(),
  );
});

test('a bucket that is not there is a missing directory', async () => {
  await expect(listed(await openWith('nowhere', 50))).rejects.toMatchObject({
    code: 'directory-not-found',
  });
});

test('where no part can be begun, all is listed page by page', async () => {
  const paths = await fill('bucket', 120);
  s3.setFaults(({ query }) => (query.has('start-after') ? { status: 403 } : undefined));
  expect(await listed(await openWith('bucket', 50))).toEqual(paths.sort());
});

test('a failure in one part is the failure of the listing', async () => {
  await fill('bucket', 120);
  let pages = 0;
  s3.setFaults(({ query }) =>
    query.has('continuation-token') && ++pages > 20 ? { status: 403 } : undefined,
  );
  await expect(listed(await openWith('bucket', 50))).rejects.toMatchObject({
    code: 'access-denied',
  });
});
