import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  ChecksumAlgorithm,
  CopyObjectCommand,
  type CopyObjectCommandInput,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getText, listKeys, refusal, sdkClient } from '../../../../servers/sdk-client.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';

let s3: TestS3;
let client: S3Client;
const Bucket = 'bucket';
beforeAll(async () => {
  s3 = await startTestS3();
  client = sdkClient(s3);
  await client.send(new CreateBucketCommand({ Bucket }));
});
afterAll(async () => {
  client.destroy();
  await s3.stop();
});

const put = (Key: string, Body: string | Buffer, more: Partial<PutObjectCommandInput> = {}) =>
  client.send(new PutObjectCommand({ Bucket, Key, Body, ...more }));
const head = (Key: string) =>
  client.send(new HeadObjectCommand({ Bucket, Key, ChecksumMode: 'ENABLED' }));
const copy = (from: string, Key: string, more: Partial<CopyObjectCommandInput> = {}) =>
  client.send(new CopyObjectCommand({ Bucket, Key, CopySource: `${Bucket}/${from}`, ...more }));
const md5 = (data: string | Buffer) => createHash('md5').update(data).digest('hex');

test('content, ETag and everything that was sent with it come back', async () => {
  const sent = {
    ContentType: 'text/x-t; charset=latin1',
    CacheControl: 'max-age=5',
    ContentDisposition: 'attachment; filename="a b.txt"',
    ContentEncoding: 'gzip',
    ContentLanguage: 'de',
    Metadata: { mtime: '1700000000.123456789', 'odd-name': 'a  b' },
    StorageClass: 'REDUCED_REDUNDANCY' as const,
  };
  const { ETag } = await put('all', 'content', sent);
  expect(ETag).toBe(`"${md5('content')}"`);
  const { text, ...answer } = await getText(client, { Bucket, Key: 'all' });
  expect(text).toBe('content');
  expect(answer).toMatchObject({ ...sent, ETag, ContentLength: 7, AcceptRanges: 'bytes' });
  expect(await head('all')).toMatchObject({ ...sent, ETag, ContentLength: 7 });
});

test.each(Object.values(ChecksumAlgorithm).filter((name) => /^(CRC|SHA(1|256)$)/.test(name)))(
  'checksum %s is verified and given back',
  async (ChecksumAlgorithm) => {
    const sent = await put(`sum-${ChecksumAlgorithm}`, 'checked', { ChecksumAlgorithm });
    const found = await head(`sum-${ChecksumAlgorithm}`);
    const name = `Checksum${ChecksumAlgorithm}` as 'ChecksumCRC32';
    expect(sent[name]).toBeDefined();
    expect(found[name]).toBe(sent[name]);
  },
);

test('a stream of known and of large size', async () => {
  const data = Buffer.alloc(3_000_000, 'stream');
  const pieces = Array.from({ length: 30 }, (_, i) =>
    data.subarray(i * 100_000, (i + 1) * 100_000),
  );
  const { ETag } = await client.send(
    new PutObjectCommand({
      ...{ Bucket, Key: 'stream', ContentLength: data.length, Body: Readable.from(pieces) },
    }),
  );
  expect(ETag).toBe(`"${md5(data)}"`);
  expect((await getText(client, { Bucket, Key: 'stream' })).text).toBe(data.toString());
  expect((await head('stream')).ContentEncoding).toBeUndefined();
});

describe('ranges', () => {
  test.each([
    ['bytes=2-5', '2345', 'bytes 2-5/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
  ])('%s', async (Range, text, ContentRange) => {
    await put('digits', '0123456789');
    const answer = await getText(client, { Bucket, Key: 'digits', Range });
    expect(answer).toMatchObject({ text, ContentRange, $metadata: { httpStatusCode: 206 } });
  });

  test('behind the end', async () => {
    const get = getText(client, { Bucket, Key: 'digits', Range: 'bytes=10-' });
    expect(await refusal(get)).toBe('416 InvalidRange');
  });

  test('of a large object, to the byte', async () => {
    const data = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => (i * 31) % 251));
    await put('large', data);
    for (const [from, to] of [
      [0, 999_999],
      [1, 70_000],
      [262_143, 262_145],
      [999_998, 999_999],
    ] as const) {
      const Range = `bytes=${from}-${to}`;
      const { text } = await getText(client, { Bucket, Key: 'large', Range });
      expect(text === data.subarray(from, to + 1).toString('latin1'), Range).toBe(true);
    }
  });
});

describe('conditions of writing', () => {
  test('only where nothing is there', async () => {
    await put('new', '1', { IfNoneMatch: '*' });
    expect(await refusal(put('new', '2', { IfNoneMatch: '*' }))).toBe('412 PreconditionFailed');
    expect((await getText(client, { Bucket, Key: 'new' })).text).toBe('1');
  });

  test('of many at once, one wins', async () => {
    const bodies = Array.from({ length: 20 }, (_, i) => String(i));
    const results = await Promise.allSettled(
      bodies.map((body) => put('race', body, { IfNoneMatch: '*' })),
    );
    const winners = bodies.filter((_, i) => results[i]?.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    expect((await getText(client, { Bucket, Key: 'race' })).text).toBe(winners[0]);
  });

  test('only where it is what it was', async () => {
    const { ETag = '' } = await put('cas', '1');
    await put('cas', '2', { IfMatch: ETag });
    expect(await refusal(put('cas', '3', { IfMatch: ETag }))).toBe('412 PreconditionFailed');
    expect(await refusal(put('none', '3', { IfMatch: ETag }))).toBe('404 NoSuchKey');
  });
});

describe('copies', () => {
  test('have content and metadata of the source', async () => {
    await put('from', 'copied', { Metadata: { a: '1' }, ContentType: 'a/b' });
    await copy('from', 'to/copy');
    const { text, Metadata, ContentType, ETag } = await getText(client, { Bucket, Key: 'to/copy' });
    expect({ text, Metadata, ContentType, ETag }).toEqual({
      ...{ text: 'copied', Metadata: { a: '1' }, ContentType: 'a/b', ETag: `"${md5('copied')}"` },
    });
  });

  test('onto itself change metadata, and must change something', async () => {
    await put('self', 'same', { Metadata: { a: '1' } });
    expect(await refusal(copy('self', 'self'))).toBe('400 InvalidRequest');
    await copy('self', 'self', { MetadataDirective: 'REPLACE', Metadata: { mtime: '5.5' } });
    const { text, Metadata } = await getText(client, { Bucket, Key: 'self' });
    expect([text, Metadata]).toEqual(['same', { mtime: '5.5' }]);
  });

  test('have conditions on the source, and a source', async () => {
    await put('source', 'x');
    const guarded = copy('source', 'c', { CopySourceIfMatch: '"00"' });
    expect(await refusal(guarded)).toBe('412 PreconditionFailed');
    expect(await refusal(copy('missing', 'c'))).toBe('404 NoSuchKey');
  });

  test('stay as they are when the source is written again', async () => {
    await put('origin', 'old');
    await copy('origin', 'kept');
    await put('origin', 'new');
    expect((await getText(client, { Bucket, Key: 'kept' })).text).toBe('old');
  });
});

test('many are deleted at once, also those whose names XML can hardly carry', async () => {
  const keys = ['del/a', 'del/a\x01', 'del/&<>"\'', 'del/ x ', 'del/\n', 'del/ü'];
  for (const key of keys) await put(key, 'x');
  const Objects = keys.filter((key) => key !== 'del/a').map((Key) => ({ Key }));
  const { Errors } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
  expect(Errors).toBeUndefined();
  const { Contents } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: 'del/' }));
  expect(Contents?.map(({ Key }) => Key)).toEqual(['del/a']);
});

test('presigned URLs, with other headers in the answer', async () => {
  await put('pre signed', 'by url');
  const command = new GetObjectCommand({ Bucket, Key: 'pre signed', ResponseContentType: 'a/b' });
  const url = await getSignedUrl(client, command, { expiresIn: 60 });
  const answer = await fetch(url);
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    ...[200, 'a/b', 'by url'],
  ]);
  expect((await fetch(url.replace('pre%20signed', 'digits'))).status).toBe(403);
});

test('a bucket is deleted and made again', async () => {
  const bucket = { Bucket: 'again' };
  for (const Body of ['first', 'second']) {
    await client.send(new CreateBucketCommand(bucket));
    await client.send(new PutObjectCommand({ ...bucket, Key: 'key', Body }));
    expect((await getText(client, { ...bucket, Key: 'key' })).text).toBe(Body);
    const Delete = { Objects: [{ Key: 'key' }] };
    await client.send(new DeleteObjectsCommand({ ...bucket, Delete }));
    await client.send(new DeleteBucketCommand(bucket));
  }
});

test('a bucket goes only when it is empty', async () => {
  const other = { Bucket: 'other-bucket' };
  await client.send(new CreateBucketCommand(other));
  await client.send(new PutObjectCommand({ ...other, Key: 'a/b', Body: 'x' }));
  expect(await refusal(client.send(new DeleteBucketCommand(other)))).toBe('409 BucketNotEmpty');
  await client.send(new DeleteObjectsCommand({ ...other, Delete: { Objects: [{ Key: 'a/b' }] } }));
  await client.send(new DeleteBucketCommand(other));
  expect(await refusal(listKeys(client, other.Bucket))).toBe('404 NoSuchBucket');
});

test.each(['A', 'ab', '.ab', 'a_b', 'x'.repeat(64), '-ab'])(
  'no name of a bucket: %s',
  async (name) => {
    const answer = await client
      .send(new CreateBucketCommand({ Bucket: name }))
      .catch((e) => e.name);
    expect(answer).toBe('InvalidBucketName');
  },
);
