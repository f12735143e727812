import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OperationName } from '../../src/serve/s3/operations/index.ts';
import { startFaultProxy } from '../servers/fault-proxy.ts';
import { sdkClient } from '../servers/sdk-client.ts';
import { inProcessWorld } from '../support/in-process-world.ts';
import { runInProcess } from '../support/run-in-process.ts';

const TIME = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`;

const world = inProcessWorld();
let client: S3Client;
let Bucket = '';

beforeAll(() => {
  client = sdkClient(world.s3);
});
afterAll(() => client.destroy());
beforeEach(async () => {
  Bucket = `bucket${world.count}`;
  await client.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
  const VersioningConfiguration = { Status: 'Enabled' } as const;
  await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
});

const put = async (Key: string, Body: string, Metadata: Record<string, string> = {}) =>
  (await client.send(new PutObjectCommand({ Bucket, Key, Body, Metadata }))).VersionId ?? '';
const remove = (Key: string) => client.send(new DeleteObjectCommand({ Bucket, Key }));
/** `key kind` of everything, the newest of a key first. */
async function kept(): Promise<string[]> {
  const { Versions = [], DeleteMarkers = [] } = await client.send(
    new ListObjectVersionsCommand({ Bucket }),
  );
  return [
    ...Versions.map(({ Key, IsLatest, Size }) => `${Key} ${IsLatest ? 'current' : 'old'} ${Size}`),
    ...DeleteMarkers.map(({ Key, IsLatest }) => `${Key} ${IsLatest ? 'marker' : 'old-marker'}`),
  ].sort();
}
const run = (line: string) => world.syncer(line.replace('$', `s:${Bucket}`));
/** The same through a proxy where the request `number` of an operation fails, with attempts of one request each. */
async function runFaulty(line: string, operation: OperationName, number = 0) {
  const proxy = await startFaultProxy(world.s3.endpoint, (request, n) =>
    request.operation === operation && n === number ? { status: 503 } : undefined,
  );
  const faulty = `s,list_chunk=1,endpoint="${proxy.endpoint}":${Bucket}`;
  const retries = ' --low-level-retries 1 --retries 2 --retries-sleep 50ms';
  return world.syncer(line.replace('$', faulty) + retries).finally(() => proxy.close());
}
const cat = async (key: string) => (await run(`cat $/${key}`)).stdout;

async function fill(): Promise<void> {
  for (const text of ['1', '22', '333']) await put('dir/a', text);
  await put('b', 'x');
  await put('gone', '4444');
  await remove('gone');
}

test('ls shows the versions of a file, also a deleted one, or of all below a directory', async () => {
  await fill();
  await put('gone.more', '1');
  const { stdout } = await run('versions ls $/gone');
  expect(stdout.split('\n').filter(Boolean)).toEqual([
    expect.stringMatching(new RegExp(`^ +-  ${TIME}  marker      \\S+  gone$`)),
    expect.stringMatching(new RegExp(`^ +4  ${TIME}  old         \\S+  gone$`)),
  ]);
  for (const [line, path] of [
    ['$/dir', 'a'],
    ['$', 'dir/a'],
  ]) {
    const listed = (await run(`versions ls ${line}`)).stdout.split('\n');
    expect(listed).toContainEqual(
      expect.stringMatching(new RegExp(`^ +3  ${TIME}  current     \\S+  ${path}$`)),
    );
  }
  const json = JSON.parse((await run('versions ls $/dir --json')).stdout);
  expect(json).toMatchObject([
    { Path: `${Bucket}/dir/a`, Kind: 'current', Size: 3 },
    { Kind: 'old', Size: 2 },
    { Kind: 'old', Size: 1 },
  ]);
  expect(JSON.parse((await run('versions ls $/nothing --json')).stdout)).toEqual([]);
});

test('size --all counts everything that is stored', async () => {
  await fill();
  await put('.syncer-trash/r/old', '55555');
  const upload = { Bucket, Key: 'half' };
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(upload));
  await client.send(new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body: '666666' }));
  const sizes = JSON.parse((await run('size --all --json $')).stdout);
  expect(sizes).toEqual({
    current: { count: 2, bytes: 4 },
    old: { count: 3, bytes: 7 },
    markers: { count: 1, bytes: 0 },
    uploads: { count: 1, bytes: 6 },
    trash: { count: 1, bytes: 5 },
    total: { count: 8, bytes: 22 },
  });
  expect((await run('size --all $ --include dir/**')).stdout).toBe(
    [
      ...['Current files:       1  3 B (3 Byte)', 'Old versions:        2  3 B (3 Byte)'],
      ...['Delete markers:      0  0 B (0 Byte)', 'Unfinished uploads:  0  0 B (0 Byte)'],
      ...['Trash:               0  0 B (0 Byte)', 'Total:               3  6 B (6 Byte)', ''],
    ].join('\n'),
  );
});

test('size --all of a disk counts its files and the trash', async () => {
  await mkdir(join(world.dir, '.syncer-trash/r'), { recursive: true });
  await writeFile(join(world.dir, '.syncer-trash/r/x'), '22');
  await writeFile(join(world.dir, 'y'), '1');
  const { stdout } = await runInProcess(['size', '--all', '--json', world.dir], world.env);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ current: { count: 1, bytes: 1 }, trash: { count: 1, bytes: 2 } },
  });
});

describe('prune', () => {
  test('deletes old versions, and markers that hide nothing; current files stay', async () => {
    await fill();
    const { stdout, code } = await run('versions prune $ --keep 0');
    expect({ stdout, code }).toEqual({
      ...{ code: 0, stdout: 'Deleted 3 old versions (7 B) and 1 delete marker\n' },
    });
    expect(await kept()).toEqual(['b current 1', 'dir/a current 3']);
  });

  test('--keep keeps the newest, and the marker above them', async () => {
    await fill();
    await run('versions prune $ --keep 1');
    expect(await kept()).toEqual([
      ...['b current 1', 'dir/a current 3', 'dir/a old 2', 'gone marker', 'gone old 4'],
    ]);
  });

  test('a version that a lock protects is an error, the rest is done', async () => {
    await fill();
    const locked = await put('dir/a', '4444');
    await put('dir/a', '5');
    const held = await put('lost', 'y');
    await remove('lost');
    for (const [Key, VersionId] of [
      ['dir/a', locked],
      ['lost', held],
    ] as const) {
      const LegalHold = { Status: 'ON' } as const;
      await client.send(new PutObjectLegalHoldCommand({ Bucket, Key, VersionId, LegalHold }));
    }
    const { code, stdout, stderr } = await run('versions prune $ --keep 0 --retries 1');
    const says = 'Deleted 4 old versions (10 B) and 1 delete marker; 2 failed\n';
    expect({ code, stdout }).toEqual({ code: 1, stdout: says });
    expect(stderr.match(/ERROR : bucket\d+\/(dir\/a|lost) \(/g)).toHaveLength(2);
    expect(await kept()).toEqual([
      ...['b current 1', 'dir/a current 1', 'dir/a old 4', 'lost marker', 'lost old 1'],
    ]);
  });

  test('a marker above a version that the filter excludes stays', async () => {
    await put('big', 'x'.repeat(2000));
    await remove('big');
    await run('versions prune $ --keep 0 --max-size 1k');
    expect(await kept()).toEqual(['big marker', 'big old 2000']);
    await put('x/other', '1');
    await remove('x/other');
    await run('versions prune $ --keep 0 --include x/**');
    expect(await kept()).toEqual(['big marker', 'big old 2000']);
  });

  test('--dry-run deletes nothing and counts', async () => {
    await fill();
    const before = await kept();
    const { stdout } = await run('versions prune $ --keep 0 -n');
    expect(stdout).toBe('Would delete 3 old versions (7 B) and 1 delete marker\n');
    expect(await kept()).toEqual(before);
  });

  test('--dry-run counts each version once, also in a second attempt', async () => {
    await fill();
    const { stdout, code } = await runFaulty(
      'versions prune $ --keep 0 -n',
      'ListObjectVersions',
      3,
    );
    expect({ stdout, code }).toEqual({
      ...{ code: 0, stdout: 'Would delete 3 old versions (7 B) and 1 delete marker\n' },
    });
  });

  test('the guard count stops it, and names the command that goes on', async () => {
    await fill();
    const before = await kept();
    const guarded = await run('versions prune $ --keep 0 --guard count=2');
    expect(guarded.code).toBe(21);
    expect(guarded.stderr).toContain('3 files would be pruned');
    expect(guarded.stderr).toContain('--allow-deletes 3');
    expect(await kept()).toEqual(before);
    const goesOn = await run('versions prune $ --keep 0 --guard count=2 --allow-deletes 3');
    expect(goesOn.code).toBe(0);
  });

  test.each([
    ['versions prune $', 'needs --keep or --older-than'],
    ['versions prune $ --keep -1', 'must not be negative'],
    ['versions prune @ --keep 1', 'has no old versions'],
    ['versions restore $/dir', 'name a file with old versions'],
    ['versions restore $/nosuch', 'has no old version of this file'],
    ['versions list $', 'unknown command: versions list'],
  ])('%s is refused', async (line, why) => {
    await fill();
    const before = await kept();
    const { code, stderr } = await run(line);
    expect(code).not.toBe(0);
    expect(stderr).toContain(why);
    expect(await kept()).toEqual(before);
  });
});

describe('restore', () => {
  test('a file gets its old version back with its metadata; nothing is lost', async () => {
    await put('a', 'first', { mtime: '1700000000', colour: 'blue' });
    await put('a', 'second');
    expect((await run('versions restore $/a')).stdout).toBe('Restored 1 file\n');
    expect(await cat('a')).toBe('first');
    const { Metadata } = await client.send(new HeadObjectCommand({ Bucket, Key: 'a' }));
    expect(Metadata).toMatchObject({ colour: 'blue', mtime: '1700000000' });
    expect(await kept()).toEqual(['a current 5', 'a old 5', 'a old 6']);
  });

  test('a deleted file is back', async () => {
    await fill();
    await run('versions restore $/gone');
    expect(await cat('gone')).toBe('4444');
  });

  test('--at restores a tree as it was then, and leaves what came later', async () => {
    await fill();
    await put('gone', 'back');
    // Times of versions have milliseconds.
    await new Promise((resolve) => setTimeout(resolve, 20));
    const then = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    await put('dir/a', 'wrong');
    await remove('b');
    await remove('gone');
    await put('new', '1');
    const dry = await run(`versions restore $ --at ${then} -n`);
    expect(dry.stderr.match(/Skipped restore as --dry-run is set/g)).toHaveLength(3);
    const { stdout } = await run(`versions restore $ --at ${then}`);
    expect(stdout).toBe('Restored 3 files\n');
    expect(await Promise.all(['dir/a', 'b', 'gone', 'new'].map(cat))).toEqual([
      ...['333', 'x', 'back', '1'],
    ]);
    expect((await run(`versions restore $ --at ${new Date().toISOString()}`)).stdout).toMatch(
      /^Restored 0 files; \d unchanged/,
    );
  });

  test('a second attempt restores the same version', async () => {
    for (const text of ['1', '22', '333']) await put('a', text);
    const { stdout, code } = await runFaulty('versions restore $/a', 'HeadObject');
    expect({ stdout, code }).toEqual({ code: 0, stdout: 'Restored 1 file\n' });
    expect(await cat('a')).toBe('22');
  });

  async function changeTwo(): Promise<string> {
    for (const key of ['a', 'b', 'same']) await put(key, 'old');
    await new Promise((resolve) => setTimeout(resolve, 20));
    const then = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (const key of ['a', 'b']) await put(key, 'newer');
    return then;
  }

  test('files that were restored are counted, also if others failed', async () => {
    const line = `versions restore $ --at ${await changeTwo()} --retries-sleep 1ms`;
    const denied = { status: 403, code: 'AccessDenied' } as const;
    const proxy = await startFaultProxy(world.s3.endpoint, ({ operation, key }) =>
      operation === 'CopyObject' && key === 'b' ? denied : undefined,
    );
    const { stdout, code } = await world
      .syncer(line.replace('$', `s,endpoint="${proxy.endpoint}":${Bucket}`))
      .finally(() => proxy.close());
    const says = 'Restored 1 file; 1 unchanged since then; 1 failed\n';
    expect({ stdout, code }).toEqual({ code: 1, stdout: says });
  });

  test('a second attempt with --at restores the rest only', async () => {
    const then = await changeTwo();
    const { stdout } = await runFaulty(`versions restore $ --at ${then}`, 'HeadObject');
    expect(stdout).toBe('Restored 2 files; 1 unchanged since then\n');
    // The copy without a proof was made, and is made again.
    expect(await kept()).toHaveLength(8);
  });
});

test('backend cleanup-hidden goes on after a locked version, and leaves the marker above it', async () => {
  await fill();
  const VersionId = await put('a', 'y');
  await remove('a');
  const LegalHold = { Status: 'ON' } as const;
  await client.send(new PutObjectLegalHoldCommand({ Bucket, Key: 'a', VersionId, LegalHold }));
  const { code, stderr } = await run('backend cleanup-hidden $ --retries 1');
  expect(code).toBe(1);
  expect(stderr).toMatch(/ERROR : a-v\S+: Couldn't delete: .*locked/);
  expect(await kept()).toEqual(['a marker', 'a old 1', 'b current 1', 'dir/a current 3']);
});
