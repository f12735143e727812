import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompleteMultipartUploadCommandInput,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  type CreateMultipartUploadCommandInput,
  DeleteObjectCommand,
  GetObjectAttributesCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListPartsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { getText, refusal, sdkClient } from '../../../../servers/sdk-client.ts';
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

const MIB = 1024 * 1024;
const piece = (letter: string, size = 5 * MIB) => Buffer.alloc(size, letter);
const md5 = (data: Buffer) => createHash('md5').update(data).digest();

async function begin(Key: string, more: Partial<CreateMultipartUploadCommandInput> = {}) {
  const input = { Bucket, Key, ...more };
  const { UploadId = '' } = await client.send(new CreateMultipartUploadCommand(input));
  return { Bucket, Key, UploadId };
}
type Begun = Awaited<ReturnType<typeof begin>>;
type Listed = { PartNumber: number; ETag: string | undefined };

async function send(upload: Begun, PartNumber: number, Body: Buffer): Promise<Listed> {
  const { ETag } = await client.send(new UploadPartCommand({ ...upload, PartNumber, Body }));
  return { PartNumber, ETag };
}
const complete = (
  upload: Begun,
  Parts: readonly Listed[],
  more: Partial<CompleteMultipartUploadCommandInput> = {},
) => {
  const MultipartUpload = { Parts: Parts.map((part) => ({ ...part })) };
  return client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload, ...more }));
};
const content = async (Key: string) =>
  Buffer.from((await getText(client, { Bucket, Key })).text, 'latin1');

test.each<[string, (number: number) => number]>([
  ['in order', (i) => i],
  ['the last one first', (i) => 2 - i],
])('parts that come %s', async (name, order) => {
  const pieces = [piece('a'), piece('b', 6 * MIB), piece('c', 10)];
  const upload = await begin(`order ${name}`, { Metadata: { m: '1' }, ContentType: 'x/y' });
  const listed: Listed[] = [];
  for (const i of [0, 1, 2].map(order)) {
    listed[i] = await send(upload, i + 1, pieces[i] ?? Buffer.alloc(0));
  }
  const { ETag } = await complete(upload, listed);
  expect(ETag).toBe(`"${md5(Buffer.concat(pieces.map(md5))).toString('hex')}-3"`);
  expect((await content(upload.Key)).equals(Buffer.concat(pieces))).toBe(true);
  expect(await client.send(new HeadObjectCommand({ Bucket, Key: upload.Key }))).toMatchObject({
    ...{ ETag, Metadata: { m: '1' }, ContentType: 'x/y', ContentLength: 11 * MIB + 10 },
  });
});

test('a part sent again counts, parts that are not listed do not', async () => {
  const upload = await begin('again');
  await send(upload, 1, piece('x'));
  await send(upload, 7, piece('unlisted'));
  const listed = [await send(upload, 1, piece('1')), await send(upload, 3, piece('3', 5))];
  await complete(upload, listed);
  const expected = Buffer.concat([piece('1'), piece('3', 5)]);
  expect((await content('again')).equals(expected)).toBe(true);
});

test('all parts at once', async () => {
  const upload = await begin('at once');
  const pieces = [...'abcdef'].map((letter) => piece(letter));
  const listed = await Promise.all(pieces.map((part, i) => send(upload, i + 1, part)));
  await complete(upload, listed);
  expect((await content('at once')).equals(Buffer.concat(pieces))).toBe(true);
});

test('lists that do not fit the parts are refused, and the upload can still be completed', async () => {
  const upload = await begin('refused');
  const small = [await send(upload, 1, piece('s', 10)), await send(upload, 2, piece('t', 10))];
  const [first, second] = small as [Listed, Listed];
  expect(await refusal(complete(upload, small))).toBe('400 EntityTooSmall');
  expect(await refusal(complete(upload, [second, first]))).toBe('400 InvalidPartOrder');
  expect(await refusal(complete(upload, [{ PartNumber: 3, ETag: first.ETag }]))).toBe(
    '400 InvalidPart',
  );
  expect(await refusal(complete(upload, [{ ...first, ETag: second.ETag }]))).toBe(
    '400 InvalidPart',
  );
  expect(await refusal(complete(upload, []))).toBe('400 MalformedXML');
  await client.send(new PutObjectCommand({ Bucket, Key: 'refused', Body: 'there' }));
  expect(await refusal(complete(upload, [first], { IfNoneMatch: '*' }))).toBe(
    '412 PreconditionFailed',
  );
  expect((await content('refused')).toString()).toBe('there');
  await complete(upload, [first]);
  expect((await content('refused')).equals(piece('s', 10))).toBe(true);
});

test('aborted, it is gone', async () => {
  const upload = await begin('aborted');
  const part = await send(upload, 1, piece('a', 10));
  const listed = () => client.send(new ListMultipartUploadsCommand({ Bucket, Prefix: 'aborted' }));
  expect((await listed()).Uploads?.map(({ UploadId }) => UploadId)).toEqual([upload.UploadId]);
  await client.send(new AbortMultipartUploadCommand(upload));
  expect((await listed()).Uploads).toBeUndefined();
  expect(await refusal(complete(upload, [part]))).toBe('404 NoSuchUpload');
  expect(await refusal(client.send(new ListPartsCommand(upload)))).toBe('404 NoSuchUpload');
  expect(await refusal(content('aborted'))).toBe('404 NoSuchKey');
});

test('parts and uploads are listed page by page', async () => {
  const uploads = [await begin('pages/a'), await begin('pages/a'), await begin('pages/b/c')];
  const [upload] = uploads as [Begun];
  for (const number of [1, 2, 10]) await send(upload, number, piece('p', 3));
  const numbers: (number | undefined)[] = [];
  let PartNumberMarker: string | undefined;
  do {
    const page = await client.send(
      new ListPartsCommand({ ...upload, MaxParts: 2, PartNumberMarker }),
    );
    numbers.push(...(page.Parts ?? []).map((part) => part.PartNumber));
    PartNumberMarker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
  } while (PartNumberMarker !== undefined);
  expect(numbers).toEqual([1, 2, 10]);
  const pages = async (Delimiter?: string) => {
    const found: (string | undefined)[] = [];
    let KeyMarker: string | undefined = '';
    let UploadIdMarker: string | undefined;
    while (KeyMarker !== undefined) {
      const page: ListMultipartUploadsCommandOutput = await client.send(
        new ListMultipartUploadsCommand({
          ...{ Bucket, Prefix: 'pages/', MaxUploads: 1, KeyMarker, UploadIdMarker, Delimiter },
        }),
      );
      found.push(...(page.Uploads ?? []).map((each) => each.UploadId));
      found.push(...(page.CommonPrefixes ?? []).map((each) => each.Prefix));
      KeyMarker = page.IsTruncated ? page.NextKeyMarker : undefined;
      UploadIdMarker = page.NextUploadIdMarker;
    }
    return found;
  };
  const ids = await pages();
  expect([...ids].sort()).toEqual(uploads.map(({ UploadId }) => UploadId).sort());
  expect(ids.at(-1)).toBe(uploads[2]?.UploadId);
  expect(await pages('/')).toEqual([...ids.slice(0, 2), 'pages/b/']);
});

test('parts copied from other objects', async () => {
  const source = Buffer.concat([piece('q'), piece('r', 100)]);
  await client.send(new PutObjectCommand({ Bucket, Key: 'source', Body: source }));
  const upload = await begin('copied parts');
  const CopySource = `${Bucket}/source`;
  const parts: Listed[] = [];
  for (const range of [`bytes=0-${5 * MIB - 1}`, `bytes=${5 * MIB}-${5 * MIB + 99}`]) {
    const PartNumber = parts.length + 1;
    const input = { ...upload, PartNumber, CopySource, CopySourceRange: range };
    const { CopyPartResult } = await client.send(new UploadPartCopyCommand(input));
    parts.push({ PartNumber, ETag: CopyPartResult?.ETag });
  }
  await complete(upload, parts);
  expect((await content('copied parts')).equals(source)).toBe(true);
});

test.each([
  ['bytes=0-9999999', '416 InvalidRange'],
  ['bytes=5-4', '400 InvalidArgument'],
  ['bytes=5-', '400 InvalidArgument'],
])('no part is copied from %s', async (CopySourceRange, outcome) => {
  await client.send(new PutObjectCommand({ Bucket, Key: 'short', Body: '0123456789' }));
  const CopySource = `${Bucket}/short`;
  const input = { ...(await begin('x')), PartNumber: 1, CopySource, CopySourceRange };
  expect(await refusal(client.send(new UploadPartCopyCommand(input)))).toBe(outcome);
});

test.each(['COMPOSITE', 'FULL_OBJECT'] as const)('a checksum of kind %s', async (ChecksumType) => {
  const upload = await begin(`sum ${ChecksumType}`, { ChecksumAlgorithm: 'CRC32', ChecksumType });
  const parts = [await send(upload, 1, piece('a')), await send(upload, 2, piece('b', 7))];
  const { ChecksumCRC32 } = await complete(upload, parts);
  const input = { Bucket, Key: upload.Key, ChecksumMode: 'ENABLED' } as const;
  const found = await client.send(new HeadObjectCommand(input));
  expect(found.ChecksumCRC32).toBe(ChecksumCRC32);
  const { crc32 } = await import('node:zlib');
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(piece('b', 7), crc32(piece('a'))));
  if (ChecksumType === 'FULL_OBJECT') expect(ChecksumCRC32).toBe(bytes.toString('base64'));
  else expect(ChecksumCRC32).toMatch(/^.{8}-2$/);
});

test('completed twice, or two times at once, the answer is the same', async () => {
  const upload = await begin('twice', { ChecksumAlgorithm: 'SHA256' });
  const parts = [await send(upload, 1, piece('a')), await send(upload, 2, piece('b', 7))];
  const [first, meanwhile] = await Promise.all([complete(upload, parts), complete(upload, parts)]);
  const facts = ({ ETag, ChecksumSHA256, ChecksumType }: typeof first) => [
    ...[ETag, ChecksumSHA256, ChecksumType],
  ];
  expect(facts(first)[2]).toBe('COMPOSITE');
  expect(facts(meanwhile)).toEqual(facts(first));
  expect(facts(await complete(upload, parts))).toEqual(facts(first));
  expect(await refusal(complete(upload, parts.slice(0, 1)))).toBe('404 NoSuchUpload');
  await client.send(new DeleteObjectCommand({ Bucket, Key: 'twice' }));
  expect(await refusal(complete(upload, parts))).toBe('404 NoSuchUpload');
});

test('a completed upload is not completed again by a list of other numbers or ETags', async () => {
  for (const numbers of [
    [1, 2],
    [3, 7],
  ] as const) {
    const upload = await begin(`list ${numbers}`);
    const pieces = [piece('a'), piece('b', 7)];
    const parts: Awaited<ReturnType<typeof send>>[] = [];
    for (const [at, number] of numbers.entries()) {
      parts.push(await send(upload, number, pieces[at] ?? piece('c')));
    }
    const { ETag } = await complete(upload, parts);
    expect((await complete(upload, parts)).ETag).toBe(ETag);
    const others = [
      parts.map((part) => ({ ...part, PartNumber: (part.PartNumber ?? 0) + 1 })),
      ...['"x"', '"xyz"', '""', '"zz"'].map((odd) => parts.map((part) => ({ ...part, ETag: odd }))),
      parts.map((part) => ({ ...part, ETag: part.ETag?.replace(/"$/, 'zz"') })),
    ];
    for (const other of others) {
      expect(await refusal(complete(upload, other))).toBe('404 NoSuchUpload');
    }
  }
});

test('of two parts with the same number in the list the last counts', async () => {
  const upload = await begin('same number');
  const old = await send(upload, 1, piece('o', 9));
  const current = await send(upload, 1, piece('n', 9));
  await complete(upload, [old, current]);
  expect((await content('same number')).toString()).toBe('n'.repeat(9));
});

test('the attributes of an object list its parts, page by page', async () => {
  const upload = await begin('attributes', { ChecksumAlgorithm: 'CRC32' });
  const parts = [await send(upload, 1, piece('a')), await send(upload, 2, piece('b', 7))];
  await complete(upload, parts);
  const ask = async (more: object) => {
    const input = {
      Bucket,
      Key: 'attributes',
      ObjectAttributes: ['ObjectParts' as const],
      ...more,
    };
    return (await client.send(new GetObjectAttributesCommand(input))).ObjectParts;
  };
  const all = await ask({});
  expect(all).toMatchObject({ TotalPartsCount: 2, IsTruncated: false });
  expect(all?.Parts?.map((part) => part.Size)).toEqual([5 * MIB, 7]);
  expect(all?.Parts?.every((part) => part.ChecksumCRC32?.length === 8)).toBe(true);
  const first = await ask({ MaxParts: 1 });
  expect(first).toMatchObject({ IsTruncated: true, NextPartNumberMarker: '1' });
  const second = await ask({ PartNumberMarker: first?.NextPartNumberMarker });
  expect(second?.Parts?.map((part) => part.PartNumber)).toEqual([2]);
});

test('Amazon’s uploader of streams', async () => {
  const data = Buffer.concat([piece('1', 7 * MIB), piece('2', 6 * MIB)]);
  const Body = Readable.from([data.subarray(0, 9 * MIB), data.subarray(9 * MIB)]);
  await new Upload({ client, params: { Bucket, Key: 'uploader', Body }, queueSize: 3 }).done();
  expect((await content('uploader')).equals(data)).toBe(true);
});
