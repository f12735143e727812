import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListPartsCommand,
  PutObjectCommand,
  PutObjectTaggingCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getText, listKeys, refusal, sdkClient } from '../../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';

let root: string;
let s3: TestS3;
let client: S3Client;
const Bucket = 'bucket';

async function start(readOnly = false): Promise<void> {
  s3 = await startTestS3({ root, readOnly });
  client = sdkClient(s3);
}
async function stop(): Promise<void> {
  client.destroy();
  await s3.stop();
}
async function restart(readOnly = false): Promise<void> {
  await stop();
  await start(readOnly);
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'syncer-restart-'));
  await start();
  await client.send(new CreateBucketCommand({ Bucket }));
});
afterEach(async () => {
  await stop();
  await rm(root, { recursive: true });
});

const put = (Key: string, Body: string | Buffer) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body, Metadata: { k: Key.length.toString() } }));

/** Keys that are no file names, or take each other's place. */
const ODD = [
  'a',
  'a/b',
  'a/b/c',
  'd/e',
  'd',
  '/x',
  'y/',
  'z//z',
  '..',
  'n\nl',
  'L'.repeat(1024),
  '.syncer-s3/x',
];

test('keys of all kinds, with their metadata, survive a restart', async () => {
  for (const key of ODD) await put(key, `content of ${key}`);
  const before = await listKeys(client, Bucket);
  expect(before).toHaveLength(ODD.length);
  await restart();
  expect(await listKeys(client, Bucket)).toEqual(before);
  for (const Key of ODD) {
    const { text, Metadata, ChecksumCRC32 } = await getText(client, {
      Bucket,
      Key,
      ChecksumMode: 'ENABLED',
    });
    expect([text, Metadata]).toEqual([`content of ${Key}`, { k: Key.length.toString() }]);
    expect(ChecksumCRC32).toBeDefined();
  }
});

test('without the log, the contents are still there', async () => {
  for (const key of ODD) await put(key, `content of ${key}`);
  const before = await listKeys(client, Bucket);
  await stop();
  await rm(join(root, Bucket, '.syncer-s3/records.log'));
  await start();
  expect(await listKeys(client, Bucket)).toEqual(before);
  for (const Key of ODD) {
    expect((await getText(client, { Bucket, Key })).text).toBe(`content of ${Key}`);
  }
});

test('tags survive a restart', async () => {
  await put('tagged', 'x');
  const TagSet = [{ Key: 'a', Value: 'b c' }];
  await client.send(new PutObjectTaggingCommand({ Bucket, Key: 'tagged', Tagging: { TagSet } }));
  await restart();
  const found = await client.send(new GetObjectTaggingCommand({ Bucket, Key: 'tagged' }));
  expect(found.TagSet).toEqual(TagSet);
});

test('an upload in parts goes on after a restart; a half-received part is gone', async () => {
  const parts = [Buffer.alloc(5 << 20, 'a'), Buffer.alloc(5 << 20, 'b'), Buffer.from('c')];
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'mp' }));
  const send = async (index: number) => {
    const input = { Bucket, Key: 'mp', UploadId, PartNumber: index + 1, Body: parts[index] ?? '' };
    return (await client.send(new UploadPartCommand(input))).ETag;
  };
  await send(0);
  await send(1);
  const folder = join(root, Bucket, '.syncer-s3/uploads', UploadId ?? '');
  await writeFile(join(folder, '3-half'), 'half');
  await restart();
  await send(2);
  const { Parts } = await client.send(new ListPartsCommand({ Bucket, Key: 'mp', UploadId }));
  expect(await readdir(folder)).not.toContain('3-half');
  const MultipartUpload = {
    Parts: (Parts ?? []).map(({ PartNumber, ETag }) => ({ PartNumber, ETag })),
  };
  const complete = new CompleteMultipartUploadCommand({
    ...{ Bucket, Key: 'mp', UploadId, MultipartUpload },
  });
  const { ETag } = await client.send(complete);
  expect(ETag).toMatch(/-3"$/);
  await restart();
  // A client that did not get the answer asks again.
  expect((await client.send(complete)).ETag).toBe(ETag);
  expect((await getText(client, { Bucket, Key: 'mp' })).text).toBe(Buffer.concat(parts).toString());
  const second = await client.send(new HeadObjectCommand({ Bucket, Key: 'mp', PartNumber: 3 }));
  expect([second.PartsCount, second.ContentLength]).toEqual([3, 1]);
});

test('half-written files are thrown away', async () => {
  await put('a', 'x');
  const half = join(root, Bucket, '.syncer-s3/tmp/half');
  await writeFile(half, 'half');
  await restart();
  expect(await listKeys(client, Bucket)).toEqual(['a']);
  expect(await readdir(join(root, Bucket, '.syncer-s3'))).toEqual(['records.log']);
});

test('ended between the record of a write and the write, the old object is whole', async () => {
  await put('a', 'old');
  await put('b', 'gone');
  const log = join(root, Bucket, '.syncer-s3/records.log');
  await stop();
  const line = (await readFile(log, 'utf8')).split('\n').find((text) => text.includes('"a"')) ?? '';
  // Of equal size and time: only the file itself tells them apart.
  const next = line.replace(/"ino":\d+/, '"ino":1').replace(/"etag":"\w+"/, '"etag":"other"');
  await appendFile(log, `${next}\n`);
  await rm(join(root, Bucket, 'b'));
  await start();
  for (let again = 0; again < 2; again++, await put('c', 'x'), await restart()) {
    const { text, ETag, Metadata } = await getText(client, { Bucket, Key: 'a' });
    expect({ text, ETag, Metadata }).toEqual({
      text: 'old',
      ETag: '"149603e6c03516362a8da23f624db945"',
      Metadata: { k: '1' },
    });
    expect(await listKeys(client, Bucket)).not.toContain('b');
  }
});

test('a second server is refused, one that only reads is not', async () => {
  await put('a', 'x');
  await expect(startTestS3({ root })).rejects.toMatchObject({ code: 'locked' });
  const reader = await startTestS3({ root, readOnly: true });
  const other = sdkClient(reader);
  expect((await getText(other, { Bucket, Key: 'a' })).Metadata).toEqual({ k: '1' });
  const write = other.send(new PutObjectCommand({ Bucket, Key: 'b', Body: 'y' }));
  expect(await refusal(write)).toBe('403 AccessDenied');
  other.destroy();
  await reader.stop();
});

test('a read-only server leaves the folder as it is', async () => {
  await put('a', 'x');
  await writeFile(join(root, Bucket, 'outside'), 'o');
  const before = await readdir(root, { recursive: true });
  await restart(true);
  expect(await listKeys(client, Bucket)).toEqual(['a', 'outside']);
  expect(await readdir(root, { recursive: true })).toEqual(before);
});
