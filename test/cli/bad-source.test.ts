import { appendFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sdkClient } from '../servers/sdk-client.ts';
import { expectFailure } from '../support/expect-failure.ts';
import { readTree, writeTree } from '../support/file-tree.ts';
import { oneOfEach, someOf } from '../support/in-part.ts';
import { leftovers } from '../support/leftovers.ts';
import { makeS3World, type S3World } from '../support/s3-world.ts';
import { waitFor } from '../support/wait-for.ts';

let world: S3World;
let src: string;
let dst: string;
beforeEach(async () => {
  world = await makeS3World();
  src = join(world.dir, 'src');
  dst = join(world.dir, 'dst');
  await writeTree(dst, { large: 'old content', old: 'is not to be deleted' });
  await writeTree(world.bucket, { large: 'old content', old: 'is not to be deleted' });
});
afterEach(() => world.remove());

const SIZE = 12 * 1024 ** 2;
const large = 'x'.repeat(SIZE);
const kept = {
  large: expect.stringMatching(/^old content@/),
  old: expect.stringMatching(/^is not/),
};

const changes = {
  grows: (file: string) => appendFile(file, 'more'),
  shrinks: (file: string) => truncate(file, 1000),
  'is overwritten': (file: string) => writeFile(file, 'y'.repeat(SIZE)),
  'is touched': (file: string) => utimes(file, 1, 1),
};

const slowly = ['--bwlimit', '4M', '--stats', '20ms', '-v', '--stats-one-line'];
/** In parts of 5 MiB, one after the other. */
const inParts = ['--s3-upload-cutoff', '5M', '--s3-upload-concurrency', '1'];

describe('a file that changes while it is copied', () => {
  beforeEach(() => writeTree(src, { a: 'content of a', large }));

  /** Starts a run and calls `change` in the middle of the large file. */
  async function changing(words: string[], change: (file: string) => Promise<void>) {
    const running = world.start([...words, ...slowly]);
    await waitFor(
      () => /NOTICE|INFO {2}: {2,}[1-9][\d.]* MiB \//.test(running.seen.stderr),
      running.ended,
    );
    await change(join(src, 'large'));
    return running.ended;
  }

  const changed = [
    ['sync', 'store:bucket', 'grows', []],
    ['move', 'store:bucket', 'is overwritten', inParts],
    ['sync', 'store:bucket', 'shrinks', inParts],
    ['sync', 'dst', 'is touched', []],
    ['copy', 'dst', 'shrinks', []],
  ] as const;
  test.each(oneOfEach(changed, ([verb]) => verb))(
    '%s to %s: a file that %s is no success',
    async (verb, to, how, flags) => {
      const ended = await changing([verb, 'src', to, '--retries', '1', ...flags], changes[how]);
      const says = [
        'source file is being updated',
        'run the command again when no program writes to it',
      ];
      expectFailure(ended, { code: 6, says });
      expect(to === 'dst' ? await readTree(dst) : await world.objects()).toMatchObject(kept);
      expect(Object.keys((await readTree(src)) ?? {})).toContain('large');
      expect(leftovers(dst)).toEqual([]);
      expect(await world.unfinishedUploads()).toEqual([]);
    },
  );

  const taken = [
    ['copy', 'src', 'store:bucket'],
    ['copyto', 'src/large', 'store:bucket/large'],
  ] as const;
  test.each(someOf(taken, 1))('another attempt takes it as it then is: %s %s', async (...words) => {
    const ended = await changing([...words, ...inParts], changes.shrinks);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('Attempt 1/3 failed with 1 errors');
    expect((await world.objects())['large']).toMatch(/^x{1000}@/);
    expect(await world.unfinishedUploads()).toEqual([]);
  });
});

test('an object that is replaced while it is downloaded is no success', async () => {
  await writeTree(world.bucket, { large });
  const { promise: until, resolve: replaced } = Promise.withResolvers<void>();
  world.s3.setFaults(({ operation }, n) => {
    if (operation !== 'GetObject') return undefined;
    return n === 0 ? { truncate: true, afterBytes: 5_000_000 } : { until };
  });
  const running = world.start(['sync', 'store:bucket', 'dst', '--retries', '1']);
  await waitFor(() => world.s3.log.count('GetObject') > 1, running.ended);
  const client = sdkClient(world.s3);
  const Body = 'y'.repeat(SIZE);
  await client.send(new PutObjectCommand({ Bucket: 'bucket', Key: 'large', Body }));
  client.destroy();
  replaced();
  const says = ['bucket/large was replaced since it was listed', 'run the command again'];
  expectFailure(await running.ended, { code: 6, says });
  expect(await readTree(dst)).toMatchObject(kept);
  expect(leftovers(dst)).toEqual([]);
});

describe('what vanishes while the trees are walked', () => {
  const tree = { a: 'content of a', 'd/b': 'content of b', 'd/e/c': 'content of c' };

  /** Starts a sync to the store, and removes a path of the source while the listing of the store is awaited. */
  async function vanishing(path: string, flags: readonly string[] = []) {
    await writeTree(src, tree);
    await writeTree(world.bucket, { 'd/old': 'is not to be deleted' });
    world.s3.setFaults(({ operation }, n) =>
      operation === 'ListObjectsV2' && n === 0 ? { latencyMs: 500 } : undefined,
    );
    const running = world.start(['sync', 'src', 'store:bucket', '--retries', '1', ...flags]);
    await waitFor(() => world.s3.log.count('ListObjectsV2') > 0, running.ended);
    // The listing of the source's root is read at the same time.
    await new Promise((resolve) => setTimeout(resolve, 200));
    await rm(join(src, path), { recursive: true });
    return running.ended;
  }

  test.each([
    ['a directory', 'd', /directory not found: (\S*\/)?d/],
    ['a file', 'a', /\/src\/a: no such file or directory/],
    ['the whole source', '.', /\/src\/a: no such file or directory; check the path/],
  ])('%s: nothing is deleted', async (_what, path, says) => {
    const ended = await vanishing(path);
    expectFailure(ended, { code: 1, says: [says] });
    expect(ended.stderr).toContain('not deleting files as there were IO errors');
    expect(await world.objects()).toMatchObject({ ...kept, 'd/old': expect.any(String) });
  });
});

test.each(['sync', 'move', 'bisync'])(
  '%s from a place that does not exist ends with 3, and neither creates it nor deletes anything',
  async (verb) => {
    const words = verb === 'bisync' ? [verb, '--resync'] : [verb];
    const photos = join(world.dir, 'photos');
    await writeTree(photos, { kept: 'x' });
    // A server of this machine may show these very directories.
    for (const [from, to] of [
      [join(photos, '2024'), 'store:bucket/photos'],
      ['store:missing/photos/2024', photos],
    ] as const) {
      await writeTree(join(world.bucket, 'photos'), { kept: 'x' });
      const { code } = await world.run([...words, from, to]);
      expect(code).toBe(3);
    }
    expect(Object.keys((await readTree(photos)) ?? {})).toEqual(['kept']);
    expect(Object.keys((await readTree(world.bucket)) ?? {})).toContain('photos/kept');
  },
);
