import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandOutput,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getText, refusal, sdkClient } from '../../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';

let root: string;
let s3: TestS3;
let client: S3Client;
const Bucket = 'bucket';
const Key = 'a/key';

async function start(): Promise<void> {
  s3 = await startTestS3({ root });
  client = sdkClient(s3);
}
async function stop(): Promise<void> {
  client.destroy();
  await s3.stop();
}
const versioning = (Status: 'Enabled' | 'Suspended') =>
  client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } }));

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'syncer-versions-'));
  await start();
  await client.send(new CreateBucketCommand({ Bucket }));
  await versioning('Enabled');
});
afterEach(async () => {
  await stop();
  await rm(root, { recursive: true });
});

const put = async (Body: string, key = Key) =>
  (await client.send(new PutObjectCommand({ Bucket, Key: key, Body }))).VersionId;
const remove = (VersionId?: string) =>
  client.send(new DeleteObjectCommand({ Bucket, Key, ...(VersionId && { VersionId }) }));
const text = async (VersionId?: string) =>
  (await getText(client, { Bucket, Key, ...(VersionId && { VersionId }) })).text;

/** All versions: `id`, `*` for the latest, `x` for a delete marker. */
async function history(MaxKeys = 1000): Promise<string[]> {
  const all: string[] = [];
  let next: { KeyMarker?: string; VersionIdMarker?: string } | undefined = {};
  while (next !== undefined) {
    const input = { Bucket, MaxKeys, ...next };
    const page: ListObjectVersionsCommandOutput = await client.send(
      new ListObjectVersionsCommand(input),
    );
    for (const { VersionId, IsLatest } of page.DeleteMarkers ?? []) {
      all.push(`x${VersionId}${IsLatest ? '*' : ''}`);
    }
    for (const { VersionId, IsLatest } of page.Versions ?? []) {
      all.push(`${VersionId}${IsLatest ? '*' : ''}`);
    }
    const { NextKeyMarker = '', NextVersionIdMarker = '' } = page;
    next = page.IsTruncated
      ? { KeyMarker: NextKeyMarker, VersionIdMarker: NextVersionIdMarker }
      : undefined;
  }
  return all;
}

test('old versions stay, also through a restart', async () => {
  const [first, second] = [await put('1'), await put('22')];
  for (const again of [false, true]) {
    if (again) {
      await stop();
      await start();
    }
    expect(await history()).toEqual([`${second}*`, `${first}`]);
    expect([await text(), await text(first), await text(second)]).toEqual(['22', '1', '22']);
  }
});

test('a delete marker hides, and its deletion brings back', async () => {
  const first = await put('1');
  const { DeleteMarker, VersionId: marker } = await remove();
  expect(DeleteMarker).toBe(true);
  expect(await refusal(text())).toBe('404 NoSuchKey');
  expect(await text(first)).toBe('1');
  expect(await refusal(text(marker))).toBe('405 MethodNotAllowed');
  expect(await history()).toEqual([`x${marker}*`, `${first}`]);
  await remove(marker);
  expect(await text()).toBe('1');
  expect(await history()).toEqual([`${first}*`]);
});

test('deleting the current version brings the one before it back', async () => {
  const [first, second, third] = [await put('1'), await put('22'), await put('333')];
  await remove(second);
  await remove(third);
  expect([await text(), await history()]).toEqual(['1', [`${first}*`]]);
  await remove(first);
  expect(await history()).toEqual([]);
  expect(await refusal(text(first))).toBe('404 NoSuchVersion');
  await client.send(new DeleteBucketCommand({ Bucket }));
  expect(await readdir(root)).toEqual([]);
});

test('a bucket that only has old versions is not empty', async () => {
  await put('1');
  await remove();
  const drop = client.send(new DeleteBucketCommand({ Bucket }));
  expect(await refusal(drop)).toBe('409 BucketNotEmpty');
});

test('suspended, writes replace the version null and keep the others', async () => {
  const first = await put('1');
  await versioning('Suspended');
  expect([await put('22'), await put('333')]).toEqual([undefined, undefined]);
  expect(await history()).toEqual(['null*', `${first}`]);
  await versioning('Enabled');
  const fourth = await put('4444');
  expect(await history()).toEqual([`${fourth}*`, 'null', `${first}`]);
  expect(await text('null')).toBe('333');
});

test('the object from before versioning is version null', async () => {
  await client.send(new CreateBucketCommand({ Bucket: 'plain' }));
  await client.send(new PutObjectCommand({ Bucket: 'plain', Key, Body: 'old' }));
  const Status = 'Enabled';
  const input = { Bucket: 'plain', VersioningConfiguration: { Status } } as const;
  await client.send(new PutBucketVersioningCommand(input));
  await client.send(new PutObjectCommand({ Bucket: 'plain', Key, Body: 'new' }));
  const old = await getText(client, { Bucket: 'plain', Key, VersionId: 'null' });
  expect(old.text).toBe('old');
});

test.each([1, 2, 3])('page by page, %d a page', async (size) => {
  const ids: (string | undefined)[] = [];
  for (const body of ['1', '2', '3']) ids.unshift(await put(body));
  const other = await put('o', 'b');
  expect(await history(size)).toEqual([`${ids[0]}*`, `${ids[1]}`, `${ids[2]}`, `${other}*`]);
});
