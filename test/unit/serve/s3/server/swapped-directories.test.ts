import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { getText, listKeys, refusal, sdkClient } from '../../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';

let base: string;
let outside: string;
let s3: TestS3;
let client: S3Client;
const Bucket = 'bucket';

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'syncer-swap-'));
  outside = join(base, 'outside');
  await mkdir(outside);
  await writeFile(join(outside, 'secret'), 'secret');
  s3 = await startTestS3({ root: join(base, 'root') });
  client = sdkClient(s3);
  await client.send(new CreateBucketCommand({ Bucket }));
});
afterEach(async () => {
  client.destroy();
  await s3.stop();
  await rm(base, { recursive: true });
});

const put = (Key: string, Body = 'mine') =>
  client.send(new PutObjectCommand({ Bucket, Key, Body }));
const get = async (Key: string) => (await getText(client, { Bucket, Key })).text;

/** A folder of the bucket becomes a symbolic link to the folder outside. */
async function swap(folder: string): Promise<void> {
  const path = join(base, 'root', Bucket, folder);
  await rename(path, join(base, 'moved'));
  await symlink(outside, path);
}

async function swapBack(folder: string): Promise<void> {
  const path = join(base, 'root', Bucket, folder);
  await rm(path);
  await rename(join(base, 'moved'), path);
}

/** Nothing was made, changed or removed outside. */
async function expectOutsideUntouched(): Promise<void> {
  expect(await readdir(outside)).toEqual(['secret']);
  expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('secret');
}

test.each(['swap', 'a/b/swap'])('the folder %s becomes a symbolic link', async (folder) => {
  const secret = `${folder}/secret`;
  await put(secret);
  await put(`${folder}/own`);
  const [top = ''] = folder.split('/');
  const swapped = folder === 'swap' ? 'swap' : 'a';
  if (swapped === 'a') await mkdir(join(outside, 'b/swap'), { recursive: true });
  if (swapped === 'a') await writeFile(join(outside, 'b/swap/secret'), 'secret');
  await swap(swapped);
  expect(await refusal(get(secret))).toBe('404 NoSuchKey');
  expect(await refusal(client.send(new HeadObjectCommand({ Bucket, Key: secret })))).toMatch('404');
  const CopySource = `${Bucket}/${secret}`;
  expect(
    await refusal(client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }))),
  ).toBe('404 NoSuchKey');
  expect(await listKeys(client, Bucket)).toEqual([]);
  await client.send(new DeleteObjectCommand({ Bucket, Key: secret }));
  await put(`${folder}/planted`);
  await put(`${folder}/deep/planted`);
  expect(await get(`${folder}/planted`)).toBe('mine');
  await client.send(new DeleteObjectCommand({ Bucket, Key: `${folder}/planted` }));
  if (swapped === 'a') {
    expect(await readdir(join(outside, 'b/swap'))).toEqual(['secret']);
    await rm(join(outside, 'b'), { recursive: true });
  }
  await expectOutsideUntouched();
  await swapBack(top);
  expect(await get(`${folder}/own`)).toBe('mine');
});

test('old versions are neither read nor kept through a symbolic link', async () => {
  const VersioningConfiguration = { Status: 'Enabled' } as const;
  await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
  const { VersionId } = await put('key', 'first');
  await put('key', 'second');
  await swap('.syncer-s3/versions');
  expect(await refusal(getText(client, { Bucket, Key: 'key', VersionId }))).toMatch('404');
  expect(await refusal(put('key', 'third'))).toBe('403 AccessDenied');
  await expectOutsideUntouched();
  await swapBack('.syncer-s3/versions');
  expect((await getText(client, { Bucket, Key: 'key', VersionId })).text).toBe('first');
  expect(await get('key')).toBe('second');
});

test.each(['.syncer-s3', '.syncer-s3/tmp', '.syncer-s3/uploads'])(
  'nothing is written where %s becomes a symbolic link',
  async (folder) => {
    await put('key');
    const Key = 'parts';
    const upload = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const { UploadId } = upload;
    const part = (PartNumber: number) =>
      client.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body: 'part' }));
    const { ETag } = await part(1);
    await swap(folder);
    const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
    const complete = () =>
      client.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }));
    const outcomes = await Promise.allSettled([
      ...[put('new'), put('large', 'x'.repeat(300_000)), part(2), complete()],
      client.send(new CreateMultipartUploadCommand({ Bucket, Key })),
    ]);
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    await expectOutsideUntouched();
    await swapBack(folder);
    expect(await get('key')).toBe('mine');
  },
);

test('an old version whose file is gone is not found', async () => {
  const VersioningConfiguration = { Status: 'Enabled' } as const;
  await client.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }));
  const { VersionId } = await put('key', 'first');
  await put('key', 'second');
  const versions = join(base, 'root', Bucket, '.syncer-s3/versions');
  for (const name of await readdir(versions)) await rm(join(versions, name));
  expect(await refusal(getText(client, { Bucket, Key: 'key', VersionId }))).toBe(
    '404 NoSuchVersion',
  );
  const CopySource = `${Bucket}/key?versionId=${VersionId}`;
  expect(
    await refusal(client.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource }))),
  ).toBe('404 NoSuchVersion');
});

test('a symbolic link in the root is no bucket', async () => {
  await symlink(outside, join(base, 'root', 'linked'));
  const { Buckets } = await client.send(new ListBucketsCommand({}));
  expect(Buckets?.map(({ Name }) => Name)).toEqual([Bucket]);
  expect(await refusal(getText(client, { Bucket: 'linked', Key: 'secret' }))).toBe(
    '404 NoSuchBucket',
  );
  const create = client.send(new CreateBucketCommand({ Bucket: 'linked' }));
  expect(await refusal(create)).toBe('409 BucketAlreadyExists');
});

test('a bucket that becomes a symbolic link is gone', async () => {
  await put('secret');
  const path = join(base, 'root', Bucket);
  await rename(path, join(base, 'moved'));
  await symlink(outside, path);
  expect(await refusal(get('secret'))).toBe('404 NoSuchBucket');
  expect(await refusal(put('planted'))).toBe('404 NoSuchBucket');
  await expectOutsideUntouched();
});
