import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3({ authKeys: [] });
  await send('PUT', '/bucket');
  await send('PUT', '/empty');
  await send('PUT', '/bucket/key', {}, 'content');
});
afterAll(() => s3.stop());

async function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
): Promise<string> {
  const sent = body === undefined ? {} : { body };
  const answer = await fetch(`${s3.endpoint}${path}`, { method, headers, ...sent });
  const code = /<Code>([^<]+)/.exec(await answer.text())?.[1];
  return code === undefined ? `${answer.status}` : `${answer.status} ${code}`;
}

/** Everything is as it was. */
async function expectUnchanged(): Promise<void> {
  expect(await readFile(join(s3.root, 'bucket/key'), 'utf8')).toBe('content');
  const list = await fetch(s3.endpoint).then((answer) => answer.text());
  expect([...list.matchAll(/<Name>([^<]+)/g)].map((match) => match[1])).toEqual([
    'bucket',
    'empty',
  ]);
  const keys = await fetch(`${s3.endpoint}/bucket`).then((answer) => answer.text());
  expect([...keys.matchAll(/<Key>([^<]+)/g)].map((match) => match[1])).toEqual(['key']);
}

const OBJECT = [
  ...['torrent', 'restore', 'select&select-type=2', 'renameObject', 'annotation', 'encryption'],
  ...['unknown', 'versions', 'x=1', 'append&position=0', 'partNumber=1&uploads=', 'policy'],
];
const BUCKET = [
  ...['analytics&id=1', 'metrics', 'inventory', 'intelligent-tiering', 'metadataTable'],
  ...['metadataConfiguration', 'session', 'policyStatus', 'retention', 'uploadId=x', 'unknown=1'],
  ...['abac', 'versionId=1', 'object-lambda', 'tagging&analytics', 'partNumber=1'],
];

test.each([...OBJECT, 'retention&x=1'])('no operation on an object knows ?%s', async (query) => {
  for (const method of ['PUT', 'POST', 'DELETE']) {
    expect([method, await send(method, `/bucket/key?${query}`, {}, 'x')]).toEqual([
      method,
      '501 NotImplemented',
    ]);
    expect(await send(method, `/bucket/new?${query}`, {}, 'x')).toBe('501 NotImplemented');
  }
  if (query !== 'partNumber=1&uploads=') {
    expect(await send('GET', `/bucket/key?${query}`)).toBe('501 NotImplemented');
  }
  await expectUnchanged();
});

test.each(BUCKET)('no operation on a bucket knows ?%s', async (query) => {
  for (const method of ['PUT', 'POST', 'DELETE', 'GET']) {
    const body = method === 'GET' ? undefined : 'x';
    for (const bucket of ['empty', 'newbucket']) {
      expect([method, await send(method, `/${bucket}?${query}`, {}, body)]).toEqual([
        method,
        '501 NotImplemented',
      ]);
    }
  }
  await expectUnchanged();
});

test.each([
  ...['encryption', 'lifecycle', 'ownershipControls', 'policy', 'publicAccessBlock'],
  ...['replication', 'website', 'logging', 'notification', 'accelerate', 'requestPayment'],
])('nothing would act upon a document about %s', async (name) => {
  expect(await send('PUT', `/bucket?${name}`, {}, '<a/>')).toBe('501 NotImplemented');
  expect(await send('GET', `/bucket?${name}`)).toMatch(/^(200|404 .*(NotFound|NoSuch).*)$/);
});

test.each([
  { 'x-amz-server-side-encryption': 'aws:kms' },
  { 'x-amz-server-side-encryption': 'AES256' },
  { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' },
  { 'x-amz-write-offset-bytes': '7' },
  { 'x-amz-mfa': '1 2' },
  { 'x-amz-rename-source': '/bucket/key' },
  { 'x-amz-if-match-size': '7' },
  { 'x-amz-something-new': '1' },
  { 'x-amz-checksum-xxhash64': 'AAAAAAAAAAA=' },
  {
    'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
    'x-amz-trailer': 'x-amz-checksum-sha512',
  },
  { 'content-range': 'bytes 0-1/7' },
])('no write with %j', async (headers) => {
  expect(await send('PUT', '/bucket/key', headers, 'x')).toBe('501 NotImplemented');
  await expectUnchanged();
});

test.each<[string, string, Record<string, string>]>([
  ['PUT', '/bucket/key?tagging', { 'if-match': '"x"' }],
  ['POST', '/bucket/key?uploads', { 'if-none-match': '*' }],
  [
    ...(['PUT', '/bucket/new'] as const),
    { 'x-amz-copy-source': '/bucket/key', 'x-amz-checksum-algorithm': 'SHA1' },
  ],
  ['DELETE', '/empty', { 'if-match': '"x"' }],
  ['DELETE', '/bucket/key', { 'x-amz-if-match-initiated-time': '1' }],
  [
    'PUT',
    '/bucket/new',
    { 'x-amz-copy-source': '/bucket/key', 'x-amz-copy-source-range': 'bytes=0-1' },
  ],
])('%s %s does not look at %j', async (method, path, headers) => {
  expect(await send(method, path, headers)).toBe('501 NotImplemented');
  await expectUnchanged();
});

test.each([
  ['DELETE', '/bucket/key', { 'x-amz-if-match-size': '8' }, '412 PreconditionFailed'],
  ['DELETE', '/bucket/key', { 'if-match': '"x"' }, '412 PreconditionFailed'],
  ['DELETE', '/bucket/gone', { 'if-match': '"x"' }, '204'],
  ['PUT', '/bucket/key', { 'x-amz-expected-bucket-owner': '1234' }, '403 AccessDenied'],
  ['PUT', '/bucket', { 'x-amz-bucket-object-lock-enabled': 'true' }, '409 BucketAlreadyOwnedByYou'],
  ['PUT', '/bucket', {}, '200'],
  ['POST', '/bucket', { 'content-type': 'multipart/form-data; boundary=x' }, '501 NotImplemented'],
])('%s %s with %j', async (method, path, headers, outcome) => {
  expect(
    await send(
      method,
      path,
      headers as Record<string, string>,
      'x'.slice(0, method === 'POST' ? 1 : 0),
    ),
  ).toBe(outcome);
  await expectUnchanged();
});

test.each([
  ['192.168.5.123', '400 InvalidBucketName'],
  ['foo..bar', '400 InvalidBucketName'],
  ['foo.-bar', '400 InvalidBucketName'],
  ['foo-.bar', '400 InvalidBucketName'],
  ['a'.repeat(300), '400 InvalidBucketName'],
])('no bucket %s', async (name, outcome) => {
  expect(await send('PUT', `/${name}`)).toBe(outcome);
  expect(await send('GET', `/${name}`)).toBe('404 NoSuchBucket');
  expect(await send('DELETE', `/${name}`)).toBe('404 NoSuchBucket');
});

test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('%s of a key that is too long', async (method) => {
  const outcome = await send(method, `/bucket/${'k/'.repeat(3000)}`);
  expect(outcome).toMatch(method === 'HEAD' ? /^400$/ : /^400 KeyTooLongError$/);
});

test.each([
  ['a header of more than ten', Array.from({ length: 11 }, (_, at) => `k${at}=v`).join('&')],
  ['a long key', `${'k'.repeat(129)}=v`],
  ['a long value', `k=${'v'.repeat(257)}`],
  ['a key twice', 'k=1&k=2'],
])('tags: %s', async (_, tagging) => {
  expect(await send('PUT', '/bucket/key', { 'x-amz-tagging': tagging }, 'x')).toBe(
    '400 InvalidTag',
  );
  await expectUnchanged();
});

test('a key to delete that is not UTF-8 names no other key', async () => {
  const key = Buffer.from('a\xff', 'latin1');
  const start = Buffer.from('<Delete><Object><Key>');
  const body = Buffer.concat([start, key, Buffer.from('</Key></Object></Delete>')]);
  const headers = { 'content-md5': hash('md5', body, 'base64') };
  expect(await send('POST', '/bucket?delete', headers, body)).toBe('400 MalformedXML');
  await expectUnchanged();
});

test('an empty version is no version, nor is one that no header can hold', async () => {
  for (const method of ['GET', 'DELETE']) {
    for (const version of ['', '%00', '%E2%82%AC']) {
      const outcome = await send(method, `/bucket/key?versionId=${version}`);
      expect(outcome).toBe('400 InvalidArgument');
    }
  }
  const source = { 'x-amz-copy-source': '/bucket/key?versionId=' };
  expect(await send('PUT', '/bucket/new', source)).toBe('400 InvalidArgument');
  const body = '<Delete><Object><Key>key</Key><VersionId/></Object></Delete>';
  const headers = { 'content-md5': hash('md5', body, 'base64') };
  expect(await send('POST', '/bucket?delete', headers, body)).toBe('200 InvalidArgument');
  await expectUnchanged();
});

test.each(['x-amz-meta-a=1%0D%0AX', 'content-type=a%0Ab', 'x-amz-meta-a=%00', 'x-amz-meta-a=%7F'])(
  'no header can hold %s',
  async (query) => {
    expect(await send('PUT', `/bucket/new?Signature=x&${query}`, {}, 'x')).toBe(
      '400 InvalidArgument',
    );
    await expectUnchanged();
  },
);

test('no header can have the name of a parameter', async () => {
  const query = 'Signature=x&x-amz-meta-a:b=1';
  expect(await send('PUT', `/bucket/new?${query}`, {}, 'x')).toBe('501 NotImplemented');
  await expectUnchanged();
});

test.each([
  ['/bucket?list-type=3', '400 InvalidArgument'],
  ['/bucket?list-type=2&encoding-type=base64', '400 InvalidArgument'],
  ['/bucket?versions&encoding-type=base64', '400 InvalidArgument'],
])('no listing is the response to %s', async (path, refusal) => {
  expect(await send('GET', path)).toBe(refusal);
});

test('a plus in the source of a copy is a space', async () => {
  await send('PUT', '/bucket/a%20b', {}, 'space');
  await send('PUT', '/bucket/a%2Bb', {}, 'plus');
  for (const [source, content] of [
    ['bucket/a+b', 'space'],
    ['bucket/a%20b', 'space'],
    ['/bucket/a%2Bb', 'plus'],
  ] as const) {
    await send('PUT', '/bucket/copy', { 'x-amz-copy-source': source });
    expect(await readFile(join(s3.root, 'bucket/copy'), 'utf8'), source).toBe(content);
  }
});
