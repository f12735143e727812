import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Remote } from '../../../../../src/core/remote.ts';
import { readPages } from '../../../../../src/core/remote-calls.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';
import { OP, openS3, sourceOf } from '../../../../support/open-s3.ts';

let s3: TestS3;
beforeEach(async () => {
  s3 = await startTestS3();
});
afterEach(() => s3.stop());

/** A store far away, with pages of two. */
async function opened(paths: readonly string[]): Promise<Remote> {
  let now = 0;
  const monotonic = () => {
    now += 50;
    return now;
  };
  const { remote } = await openS3(s3, 'bucket', { options: { list_chunk: '2' }, monotonic });
  await remote.makeDir('', OP);
  for (const path of paths) await remote.write(sourceOf(path, path), OP);
  return remote;
}

const numbers = (count: number) =>
  Array.from({ length: count }, (_, i) => `d${i % 3}/f${String(i).padStart(3, '0')}`).sort();

async function read(remote: Remote, atOnce?: number): Promise<string[]> {
  const paths: string[] = [];
  const op = atOnce === undefined ? OP : { ...OP, atOnce };
  const page = async (cursor: string | undefined) =>
    (await remote.can.listTreePage?.('', cursor, op)) ?? { entries: [] };
  for await (const entries of readPages(page, () => expect.fail('nothing fails'))) {
    for (const { path } of entries) paths.push(path);
  }
  return paths;
}

const lists = () => s3.log.count('ListObjectsV2');

test('what follows is listed in parts, and comes in order', async () => {
  const paths = numbers(120);
  const remote = await opened(paths);
  let parts = 0;
  s3.setFaults(({ query }) => {
    if (query.has('start-after')) parts++;
    return undefined;
  });
  expect(await read(remote, 8)).toEqual(paths);
  expect(parts).toBeGreaterThan(3);
  await remote.close();
});

test('a name that sorts elsewhere on the server has its place', async () => {
  const paths = [...numbers(60), 'd0/./f1', 'd1/../f2', 'd1/\u0001x'].sort();
  const remote = await opened(paths);
  expect(await read(remote, 8)).toEqual(await read(remote));
  expect(await read(remote, 8)).toHaveLength(63);
  await remote.close();
});

test.each([
  ['without parallel requests', 60, undefined],
  ['for few pages', 8, 8],
])('no request is added %s', async (_, count, atOnce) => {
  const remote = await opened(numbers(count));
  const before = lists();
  expect(await read(remote, atOnce)).toHaveLength(count);
  expect(lists() - before).toBe(count / 2);
  await remote.close();
});

test('a listing that nobody reads further does not go on for ever', async () => {
  const remote = await opened(numbers(120));
  const op = { ...OP, atOnce: 4 };
  for (let i = 0; i < 6; i++) {
    const first = await remote.can.listTreePage?.('', undefined, op);
    await remote.can.listTreePage?.('', first?.cursor, op);
  }
  expect(await read(remote, 4)).toEqual(numbers(120));
  await remote.close();
});

test('a failed page is the failure of its call, after the pages before it', async () => {
  const paths = numbers(60);
  const remote = await opened(paths);
  let pages = 0;
  s3.setFaults(({ query }) =>
    query.has('list-type') && ++pages > 10 ? { status: 403 } : undefined,
  );
  const got: string[] = [];
  const page = async (cursor: string | undefined) =>
    (await remote.can.listTreePage?.('', cursor, { ...OP, atOnce: 4 })) ?? { entries: [] };
  const all = (async () => {
    for await (const entries of readPages(page, () => undefined)) {
      for (const { path } of entries) got.push(path);
    }
  })();
  await expect(all).rejects.toMatchObject({ code: 'access-denied' });
  expect(got).toEqual(paths.slice(0, got.length));
  await remote.close();
});

test('a listing of sizes leaves nothing out of another one', async () => {
  const remote = await opened(numbers(60));
  const first = async (sizesOnly: boolean, cursor?: string) =>
    remote.can.listTreePage?.('', cursor, { ...OP, atOnce: 8, sizesOnly });
  const [sizes, whole] = [await first(true), await first(false)];
  const second = await first(true, sizes?.cursor);
  const tags = (page: Awaited<ReturnType<typeof first>>) =>
    page?.entries.map((entry) => entry.kind === 'file' && entry.etag !== undefined);
  expect(tags(second)).toEqual([false, false]);
  expect(tags(await first(false, whole?.cursor))).toEqual([true, true]);
  // What was listed ahead for sizes is for sizes.
  expect(tags(await first(false, second?.cursor))).toEqual([true, true]);
  await remote.close();
});
