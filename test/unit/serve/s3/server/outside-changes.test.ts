import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rename, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getText, listKeys, refusal, sdkClient } from '../../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';
import { canMount } from '../../../../support/mount-disk.ts';

let s3: TestS3;
let client: S3Client;
let folder: string;
beforeEach(async () => {
  s3 = await startTestS3();
  client = sdkClient(s3);
  folder = join(s3.root, 'Holiday Pictures');
  await mkdir(join(folder, 'sub/deep'), { recursive: true });
  await writeFile(join(folder, 'a.txt'), 'hello');
  await writeFile(join(folder, 'sub/deep/b.txt'), 'world');
  await utimes(join(folder, 'a.txt'), 1_700_000_000.5, 1_700_000_000.5);
});
afterEach(async () => {
  client.destroy();
  await s3.stop();
});

const Bucket = 'Holiday Pictures';
const head = (Key: string) => client.send(new HeadObjectCommand({ Bucket, Key }));
const put = (Key: string, Body: string, Metadata?: Record<string, string>) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body, ...(Metadata && { Metadata }) }));

test('a folder that is there already is a bucket, and its files are objects', async () => {
  await mkdir(join(s3.root, '.hidden'));
  await writeFile(join(s3.root, 'file'), '');
  const { Buckets } = await client.send(new ListBucketsCommand({}));
  expect(Buckets?.map(({ Name }) => Name)).toEqual([Bucket]);
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket }));
  expect(Contents?.map(({ Key, Size, ETag }) => [Key, Size, ETag])).toEqual([
    ['a.txt', 5, '"5d41402abc4b2a76b9719d911017c592"'],
    ['sub/deep/b.txt', 5, '"7d793037a0760186574b0282f2f435e7"'],
  ]);
  expect(await head('a.txt')).toMatchObject({
    LastModified: new Date(1_700_000_000_000),
    Metadata: { mtime: '1700000000.5' },
  });
});

test.skipIf(!canMount)(
  'what is mounted in a bucket is not written to, nor tried again',
  async () => {
    const [other, dir] = [`${s3.root}-other`, join(folder, 'mount')];
    await mkdir(other);
    await mkdir(dir);
    await writeFile(join(other, 'a'), 'there');
    execFileSync('mount', ['--bind', other, dir]);
    try {
      for (const key of ['mount/a', 'mount/b', 'mount/new/c']) {
        expect(await refusal(put(key, 'new'))).toBe('501 NotImplemented');
      }
      expect(s3.log.requests.filter(({ method }) => method === 'PUT')).toHaveLength(3);
      expect(await getText(client, { Bucket, Key: 'mount/a' })).toMatchObject({ text: 'there' });
      expect(await listKeys(client, Bucket)).toEqual(['a.txt', 'mount/a', 'sub/deep/b.txt']);
      await client.send(new DeleteObjectCommand({ Bucket, Key: 'mount/a' }));
      expect(await readdir(other)).not.toContain('a');
    } finally {
      // The server has directories open.
      execFileSync('umount', ['--lazy', dir]);
    }
  },
);

test('below a file there is nothing', async () => {
  expect(await refusal(head('a.txt/b'))).toBe('404 NotFound');
  expect(await refusal(head('a.txt/b/c'))).toBe('404 NotFound');
});

test('files that appear, change and vanish are noticed, also between two listings', async () => {
  expect(await listKeys(client, Bucket)).toEqual(['a.txt', 'sub/deep/b.txt']);
  await writeFile(join(folder, 'sub/new.txt'), 'new');
  await mkdir(join(folder, 'fresh/er'), { recursive: true });
  await writeFile(join(folder, 'fresh/er/c'), 'c');
  expect(await listKeys(client, Bucket)).toEqual([
    'a.txt',
    'fresh/er/c',
    'sub/deep/b.txt',
    'sub/new.txt',
  ]);
  await rm(join(folder, 'sub'), { recursive: true });
  expect(await listKeys(client, Bucket)).toEqual(['a.txt', 'fresh/er/c']);
  await rename(join(folder, 'fresh/er'), join(folder, 'moved'));
  expect(await listKeys(client, Bucket)).toEqual(['a.txt', 'moved/c']);
  expect(await refusal(head('fresh/er/c'))).toBe('404 NotFound');
});

test('a file that nobody listed yet can be read', async () => {
  await listKeys(client, Bucket);
  await mkdir(join(folder, 'late'));
  await writeFile(join(folder, 'late/file'), 'here');
  expect((await getText(client, { Bucket, Key: 'late/file' })).text).toBe('here');
});

test('an object changed from outside has another ETag, and nothing of what the client had sent', async () => {
  const { ETag } = await put('a.txt', 'first', { mtime: '1.5', colour: 'red' });
  expect((await head('a.txt')).Metadata).toEqual({ mtime: '1.5', colour: 'red' });
  await writeFile(join(folder, 'a.txt'), 'other');
  await utimes(join(folder, 'a.txt'), 1_600_000_000, 1_600_000_000);
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'a' }));
  expect(Contents?.[0]?.ETag).not.toBe(ETag);
  const changed = await getText(client, { Bucket, Key: 'a.txt' });
  expect(changed).toMatchObject({
    text: 'other',
    ETag: Contents?.[0]?.ETag,
    Metadata: { mtime: '1600000000' },
  });
});

test('objects have the client’s time as files', async () => {
  await put('timed', 'x', { mtime: '1234567890.25' });
  const { statSync } = await import('node:fs');
  expect(statSync(join(folder, 'timed')).mtimeMs).toBe(1_234_567_890_250);
  expect((await head('timed')).LastModified?.getTime()).toBeGreaterThan(Date.now() - 60_000);
});

test('a copy of a file from outside keeps its time', async () => {
  await client.send(
    new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: encodeURI(`${Bucket}/a.txt`) }),
  );
  expect((await head('copy')).Metadata).toEqual({ mtime: '1700000000.5' });
});

test('symbolic links and special names lead nowhere', async () => {
  const secret = join(s3.root, '..', 'secret');
  await writeFile(secret, 'secret');
  await symlink(secret, join(folder, 'link'));
  await symlink(join(s3.root, '..'), join(folder, 'up'));
  expect(await listKeys(client, Bucket)).toEqual(['a.txt', 'sub/deep/b.txt']);
  for (const Key of ['link', 'up/secret', '../../secret', 'sub/../../../secret']) {
    expect(await refusal(getText(client, { Bucket, Key })), Key).toBe('404 NoSuchKey');
  }
  await put('up/secret', 'mine');
  await put('../../secret', 'mine too');
  const { readFileSync } = await import('node:fs');
  expect(readFileSync(secret, 'utf8')).toBe('secret');
  expect((await getText(client, { Bucket, Key: 'up/secret' })).text).toBe('mine');
  expect(await readdir(join(s3.root, '..'))).toEqual(expect.arrayContaining(['secret', 'buckets']));
});

test('names that are not UTF-8', async () => {
  await writeFile(
    Buffer.concat([Buffer.from(join(folder, 'raw-')), Buffer.from([0xff, 0x41])]),
    'raw',
  );
  const page = await client.send(new ListObjectsV2Command({ Bucket, EncodingType: 'url' }));
  expect(page.Contents?.map(({ Key }) => Key)).toContain('raw-%FFA');
});

test('the hidden folder, or the whole bucket, is removed and made again', async () => {
  await put('before', 'x');
  await rm(join(folder, '.syncer-s3'), { recursive: true });
  await put('after', 'y');
  expect((await getText(client, { Bucket, Key: 'after' })).text).toBe('y');
  await rm(folder, { recursive: true });
  await mkdir(folder);
  await put('new', 'z');
  expect(await listKeys(client, Bucket)).toEqual(['new']);
  await rm(folder, { recursive: true });
  await mkdir(folder);
  const begun = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts' }));
  expect(await readdir(join(folder, '.syncer-s3/uploads'))).toEqual([begun.UploadId]);
});

test('folders that are left empty are gone, others stay', async () => {
  await put('x/y/z', 'z');
  await writeFile(join(folder, 'x/outside'), 'o');
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'x/y/z' }));
  expect(await readdir(join(folder, 'x'))).toEqual(['outside']);
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'x/outside' }));
  expect((await readdir(folder)).sort()).toEqual(['.syncer-s3', 'a.txt', 'sub']);
});

test('an answer is broken off where its file is cut short meanwhile', async () => {
  await writeFile(join(folder, 'large'), Buffer.alloc(40_000_000));
  const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: 'large' }));
  await truncate(join(folder, 'large'), 1000);
  await expect(Body?.transformToByteArray()).rejects.toThrow('aborted');
});
