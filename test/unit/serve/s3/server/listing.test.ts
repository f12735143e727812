import {
  CreateBucketCommand,
  ListObjectsCommand,
  type ListObjectsCommandOutput,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listKeys, refusal, sdkClient } from '../../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';

let s3: TestS3;
let client: S3Client;
const Bucket = 'bucket';
const KEYS = [
  'T/a/1',
  'T/a/2',
  'T/a/b/1',
  'T/b/1',
  'T/c',
  'T/d',
  'T/e/f/g',
  'or/a',
  'or/a-b',
  'or/a/b',
];
const ODD = ['or/a0', 'or/ä', 'or/\uff5e', 'or/😀', 'z //', 'z\n'];
beforeAll(async () => {
  s3 = await startTestS3();
  client = sdkClient(s3);
  await client.send(new CreateBucketCommand({ Bucket }));
  for (const Key of [...KEYS, ...ODD]) {
    await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }));
  }
});
afterAll(async () => {
  client.destroy();
  await s3.stop();
});

const list = (input: Partial<ListObjectsV2CommandInput>) =>
  client.send(new ListObjectsV2Command({ Bucket, ...input }));

test.each([1, 2, 3, 1000])('all keys in the order of their bytes, %d a page', async (size) => {
  const sorted = [...KEYS, ...ODD].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  expect(await listKeys(client, Bucket, size)).toEqual(sorted);
});

test('keys and common prefixes', async () => {
  const page = await list({ Prefix: 'T/', Delimiter: '/' });
  expect(page.Contents?.map(({ Key }) => Key)).toEqual(['T/c', 'T/d']);
  expect(page.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['T/a/', 'T/b/', 'T/e/']);
  expect(page).toMatchObject({ KeyCount: 5, IsTruncated: false, Delimiter: '/', Prefix: 'T/' });
});

test('version 1: pages of keys and common prefixes', async () => {
  const seen: (string | undefined)[] = [];
  let Marker: string | undefined;
  do {
    const input = { Bucket, Prefix: 'T/', Delimiter: '/', MaxKeys: 2, Marker };
    const page: ListObjectsCommandOutput = await client.send(new ListObjectsCommand(input));
    seen.push(...(page.Contents ?? []).map(({ Key }) => Key));
    seen.push(...(page.CommonPrefixes ?? []).map(({ Prefix }) => Prefix));
    Marker = page.NextMarker;
  } while (Marker !== undefined);
  expect(seen).toEqual(['T/a/', 'T/b/', 'T/c', 'T/d', 'T/e/']);
});

describe('beginnings and ends', () => {
  const keysOf = async (input: Partial<ListObjectsV2CommandInput>) =>
    (await list(input)).Contents?.map(({ Key }) => Key) ?? [];

  test('behind a key', async () => {
    expect(await keysOf({ Prefix: 'T/', StartAfter: 'T/b/1' })).toEqual(['T/c', 'T/d', 'T/e/f/g']);
    expect(await keysOf({ Prefix: 'T/', StartAfter: 'A' })).toHaveLength(7);
    expect(await keysOf({ Prefix: 'T/', StartAfter: 'z' })).toEqual([]);
  });

  test('none, and more than there may be', async () => {
    expect(await list({ MaxKeys: 0 })).toMatchObject({ IsTruncated: false, KeyCount: 0 });
    expect(await list({ MaxKeys: 5000 })).toMatchObject({ MaxKeys: 1000 });
  });

  test('a prefix that ends in a name', async () => {
    expect(await keysOf({ Prefix: 'or/a' })).toEqual(['or/a', 'or/a-b', 'or/a/b', 'or/a0']);
    expect(await keysOf({ Prefix: 'nothing' })).toEqual([]);
  });

  test('owners, when they are asked for', async () => {
    expect((await list({ FetchOwner: true })).Contents?.[0]?.Owner).toBeDefined();
    expect((await list({})).Contents?.[0]?.Owner).toBeUndefined();
  });

  test('nonsense', async () => {
    expect(await refusal(list({ ContinuationToken: 'nonsense' }))).toBe('400 InvalidArgument');
    expect(await refusal(list({ MaxKeys: -1 }))).toBe('400 InvalidArgument');
  });
});

test('names in URL encoding', async () => {
  const page = await list({ Prefix: 'z', EncodingType: 'url' });
  expect(page.Contents?.map(({ Key }) => Key)).toEqual(['z%0A', 'z%20//']);
});

test('deep keys with other delimiters', async () => {
  const page = await list({ Prefix: 'or/', Delimiter: '-' });
  expect(page.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(['or/a-']);
  expect(page.Contents?.map(({ Key }) => Key)).toContain('or/a/b');
});
