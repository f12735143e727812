import { stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CopyObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Database } from '../../src/state/database.ts';
import { CACHE } from '../../src/state/schemas.ts';
import { sdkClient } from '../servers/sdk-client.ts';
import { writeTree } from '../support/file-tree.ts';
import { testOfAll } from '../support/in-part.ts';
import { makeS3World, type S3World, section } from '../support/s3-world.ts';

let world: S3World;
beforeEach(async () => {
  world = await makeS3World();
});
afterEach(() => world.remove());

const TREE = {
  'a.txt': ['one', 1_000_000_001],
  'b/c.txt': ['two', 1_000_000_002],
  'b/d/e.txt': ['three', 1_000_000_003],
  'b-c.txt': ['four', 1_000_000_004],
  'b/ü.txt': ['five', 1_000_000_005],
} as const;
const COUNT = Object.keys(TREE).length;

/** The same objects in the bucket, written there long ago, and files here. */
async function makeBothSides() {
  await writeTree(world.bucket, TREE);
  await writeTree(join(world.dir, 'src'), TREE);
}

/** Runs the program without an error; gives the requests it made that are no listings. */
async function run(line: string, env: Record<string, string> = {}) {
  world.s3.log.clear();
  const { code, stdout, stderr } = await world.run(line.split(' '), { env });
  expect(code, stderr).toBe(0);
  const { ListObjectsV2: listings = 0, ...requests } = world.s3.log.counts();
  return { requests, listings, stdout: stdout.toString(), stderr };
}

test('a second sync of equal files costs its listings only', async () => {
  await makeBothSides();
  const first = await run('sync src store:bucket');
  expect(first.requests).toEqual({ HeadObject: COUNT });
  const second = await run('sync src store:bucket');
  expect(second.requests).toEqual({});
  expect(second.listings).toBe(first.listings);
  expect((await run('sync src store:bucket --no-index')).requests).toEqual({ HeadObject: COUNT });
  expect((await run('copy store:bucket src')).requests).toEqual({});
});

test('a file that was touched costs what it needs, the others nothing', async () => {
  await makeBothSides();
  await run('sync src store:bucket');
  await utimes(join(world.dir, 'src/b/c.txt'), 7, 7);
  const { requests } = await run('sync src store:bucket');
  expect(requests).toEqual({ HeadObject: 1, CopyObject: 1 });
  // It may be too young still.
  expect((await run('sync src store:bucket')).requests.HeadObject ?? 0).toBeLessThanOrEqual(1);
  expect((await world.objects())['b/c.txt']).toBe('two@7');
});

testOfAll(
  'uploads are asked for at most once more, and only those made just before the run ended',
  async () => {
    await writeTree(join(world.dir, 'src'), TREE);
    // One upload waits at the server, so that the others are known for sure before the run ends.
    const late = 'b/ü.txt';
    world.s3.setFaults(({ key }) => (key === late ? { latencyMs: 5500 } : undefined));
    expect((await run('sync src store:bucket')).requests).toEqual({ PutObject: COUNT });
    world.s3.setFaults(undefined);
    // Both times are told in whole seconds, and the clock of a busy machine may be late.
    await sleep(4500);
    await run('sync src store:bucket');
    const asked = world.s3.log.requests.filter(({ method }) => method === 'HEAD');
    expect(asked.filter(({ key }) => key !== late)).toEqual([]);
    expect((await run('sync src store:bucket')).requests).toEqual({});
  },
);

test('a time that another program changed is seen', async () => {
  await makeBothSides();
  await run('sync src store:bucket');
  const client = sdkClient(world.s3);
  const Metadata = { mtime: '1580608927' };
  const replaced = {
    MetadataDirective: 'REPLACE',
    CopySource: 'bucket/b/c.txt',
    Metadata,
  } as const;
  await client.send(new CopyObjectCommand({ Bucket: 'bucket', Key: 'b/c.txt', ...replaced }));
  client.destroy();
  const { stdout, requests } = await run('lsl store:bucket');
  expect(stdout).toContain('3 2020-02-02 02:02:07.000000000 b/c.txt\n');
  expect(requests).toEqual({ HeadObject: 1 });
});

test('listings use it, with the same output', async () => {
  await makeBothSides();
  const lines = [
    'lsl store:bucket',
    'lsl --fast-list store:bucket',
    'lsf -R --files-only --format pst store:bucket',
    'lsjson -R --files-only --no-mimetype store:bucket',
  ];
  const sorted = (text: string) => text.split('\n').sort();
  for (const line of lines) {
    const before = await run(`${line} --no-index`);
    expect(before.requests, line).toEqual({ HeadObject: COUNT });
    await run(line);
    const { stdout, requests } = await run(line);
    expect(requests, line).toEqual({});
    expect(sorted(stdout), line).toEqual(sorted(before.stdout));
  }
  expect((await run('tree -D store:bucket')).requests).toEqual({});
});

test('age filters use it', async () => {
  await makeBothSides();
  const line = 'ls --min-age 1d store:bucket';
  expect((await run(line)).requests).toEqual({ HeadObject: COUNT });
  expect((await run(line)).requests).toEqual({});
});

test('a second check of equal files costs its listings only', async () => {
  await makeBothSides();
  const line = 'check src store:bucket';
  expect((await run(line)).requests).toEqual({ HeadObject: COUNT });
  expect((await run(line)).requests).toEqual({});
});

test('it is not looked for where no time is wanted', async () => {
  await makeBothSides();
  const folder = join(world.dir, 'cache/syncer');
  const known = async () => {
    const database = await Database.open(folder, CACHE, () => {});
    const pages = database.all('SELECT directory FROM times').length;
    database.close();
    return pages;
  };
  const env = { XDG_CACHE_HOME: join(world.dir, 'cache') };
  for (const line of [
    'ls store:bucket',
    'check --checksum src store:bucket',
    'check --size-only src store:bucket',
    'sync --size-only src store:bucket',
    'sync --checksum src store:bucket',
    'lsl --use-server-modtime store:bucket',
    'sync --no-index src store:bucket',
  ]) {
    await run(line, env);
    expect(await known(), line).toBe(0);
  }
  await run('sync src store:bucket', env);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await known()).toBe(3);
});

test('a cache folder that cannot be used is no obstacle', async () => {
  await makeBothSides();
  const env = { XDG_CACHE_HOME: '/dev/null' };
  for (let i = 0; i < 2; i++) {
    const { requests, stderr } = await run('sync -vv src store:bucket', env);
    expect(requests).toEqual({ HeadObject: COUNT });
    expect(stderr.match(/odification times are not cached/g)).toHaveLength(1);
  }
});

test('a copy to another remote keeps the type although the time is known', async () => {
  await writeFile(world.config, section(world.s3) + section(world.s3, 'other'));
  const client = sdkClient(world.s3);
  const odd = { Bucket: 'bucket', Key: 'odd.txt', Body: 'x', ContentType: 'text/x-odd' };
  await client.send(new PutObjectCommand(odd));
  await sleep(3100);
  await run('lsl store:bucket');
  expect((await run('lsl store:bucket')).requests).toEqual({});
  await run('copy store:bucket other:copies');
  const { ContentType } = await client.send(
    new HeadObjectCommand({ Bucket: 'copies', Key: 'odd.txt' }),
  );
  client.destroy();
  expect(ContentType).toBe('text/x-odd');
});
