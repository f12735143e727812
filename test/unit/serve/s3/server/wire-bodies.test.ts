import { createHash, createSecretKey, hash } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { chunkSigner } from '../../../../../src/backends/s3-protocol/signature-v4.ts';
import { encodeChunked } from '../../../../servers/encode-chunked.ts';
import { credentials, KEY, signHeaders } from '../../../../servers/sign-request.ts';
import { startTestS3, type TestS3 } from '../../../../servers/test-s3.ts';

let s3: TestS3;
beforeAll(async () => {
  s3 = await startTestS3({ authKeys: [KEY] });
  await send({ method: 'PUT', path: '/bucket' });
});
afterAll(() => s3.stop());

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly body?: Buffer | string;
  readonly payload?: string;
  readonly headers?: Record<string, string>;
  /** Frames the body, with the signature of the headers as seed. */
  readonly frame?: (data: Buffer, signer: ReturnType<typeof chunkSigner>) => Buffer;
}

interface Received {
  readonly status: number;
  readonly code: string | undefined;
  readonly body: Buffer;
  readonly headers: Record<string, unknown>;
  readonly continued: boolean;
}

async function send(sent: Sent): Promise<Received> {
  const { method = 'PUT', path = '/bucket/object', frame } = sent;
  const data = Buffer.from(sent.body ?? '');
  const now = Date.now();
  const payload = sent.payload ?? hash('sha256', data);
  const { host, port } = new URL(s3.endpoint);
  const signed = signHeaders({ method, path, payload, now, headers: { host, ...sent.headers } });
  const { key, date, scope } = credentials({ now });
  const wire = frame?.(data, chunkSigner(key, date, scope, signed.signature)) ?? data;
  return new Promise((resolve, reject) => {
    const headers = { ...signed.headers, 'content-length': String(wire.length) };
    let continued = false;
    const request = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () => {
        const body = Buffer.concat(pieces);
        const code = /<Code>([^<]+)/.exec(body.toString())?.[1];
        resolve({ status: answer.statusCode ?? 0, code, body, headers: answer.headers, continued });
      });
    });
    request.on('error', reject);
    if (sent.headers?.['expect'] === undefined) request.end(wire);
    else {
      request.on('continue', () => {
        continued = true;
        request.end(wire);
      });
      request.flushHeaders();
    }
  });
}

const data = Buffer.alloc(200_000, 'payload');
const crc = Buffer.alloc(4);
crc.writeUInt32BE(crc32(data));
const trailer = (value: string) => ['x-amz-checksum-crc32', value] as const;
const right = crc.toString('base64');
const chunked = { 'content-encoding': 'aws-chunked', 'x-amz-decoded-content-length': '200000' };
const withTrailer = { ...chunked, 'x-amz-trailer': 'x-amz-checksum-crc32' };
const [SIGNED, SIGNED_TRAILER, UNSIGNED_TRAILER] = [
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
];
const chunk = 65_536;

test.each<[string, Sent, string]>([
  ['signed as a whole', {}, '200'],
  ['not signed', { payload: 'UNSIGNED-PAYLOAD' }, '200'],
  ['with another hash', { payload: hash('sha256', 'other') }, '400 XAmzContentSHA256Mismatch'],
  ['with a hash that is none', { payload: 'abc' }, '400 InvalidArgument'],
  [
    'with Content-MD5',
    { headers: { 'content-md5': createHash('md5').update(data).digest('base64') } },
    '200',
  ],
  [
    'with another Content-MD5',
    { headers: { 'content-md5': 'XUFAKrxLKna5cZ2REBfFkg==' } },
    '400 BadDigest',
  ],
  ['with no Content-MD5 at all', { headers: { 'content-md5': 'abc' } }, '400 InvalidDigest'],
  ['with a checksum', { headers: { 'x-amz-checksum-crc32': right } }, '200'],
  ['with another checksum', { headers: { 'x-amz-checksum-crc32': 'AAAAAA==' } }, '400 BadDigest'],
  [
    'in signed chunks',
    {
      payload: SIGNED,
      headers: chunked,
      frame: (d, signer) => encodeChunked(d, { chunk, signer }),
    },
    '200',
  ],
  [
    'in chunks with wrong signatures',
    {
      payload: SIGNED,
      headers: chunked,
      frame: (d) =>
        encodeChunked(d, {
          chunk,
          signer: chunkSigner(createSecretKey(Buffer.from('x')), '', '', ''),
        }),
    },
    '403 SignatureDoesNotMatch',
  ],
  [
    'in signed chunks, shorter than announced',
    {
      payload: SIGNED,
      headers: chunked,
      frame: (d, signer) => encodeChunked(d.subarray(1), { chunk, signer }),
    },
    '400 IncompleteBody',
  ],
  [
    'in signed chunks with a signed trailer',
    {
      payload: SIGNED_TRAILER,
      headers: withTrailer,
      frame: (d, signer) => encodeChunked(d, { chunk, signer, trailer: trailer(right) }),
    },
    '200',
  ],
  [
    'with a trailer',
    {
      payload: UNSIGNED_TRAILER,
      headers: withTrailer,
      frame: (d) => encodeChunked(d, { chunk, trailer: trailer(right) }),
    },
    '200',
  ],
  [
    'with another checksum in the trailer',
    {
      payload: UNSIGNED_TRAILER,
      headers: withTrailer,
      frame: (d) => encodeChunked(d, { chunk, trailer: trailer('AAAAAA==') }),
    },
    '400 BadDigest',
  ],
  [
    'without the trailer that was announced',
    { payload: UNSIGNED_TRAILER, headers: withTrailer, frame: (d) => encodeChunked(d, { chunk }) },
    '400 MalformedTrailerError',
  ],
  [
    'in a way nobody knows',
    { payload: 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD' },
    '501 NotImplemented',
  ],
])('a body %s', async (name, sent, outcome) => {
  const path = `/bucket/${encodeURIComponent(name)}`;
  const { status, code } = await send({ ...sent, path, body: data });
  expect(code === undefined ? String(status) : `${status} ${code}`).toBe(outcome);
  const stored = await send({ method: 'GET', path });
  if (outcome === '200') expect(stored.body.equals(data)).toBe(true);
  else expect(stored.code).toBe('NoSuchKey');
});

test('a refused body leaves the object that was there', async () => {
  await send({ path: '/bucket/kept', body: 'first' });
  const { status } = await send({ path: '/bucket/kept', body: data, payload: hash('sha256', 'x') });
  expect(status).toBe(400);
  expect((await send({ method: 'GET', path: '/bucket/kept' })).body.toString()).toBe('first');
});

test('the answer to a large body that nobody wants comes through', async () => {
  const body = Buffer.alloc(20 << 20);
  expect((await send({ path: '/nobucket/large', body })).code).toBe('NoSuchBucket');
});

test.each(['100-continue', '100-Continue'])('Expect: %s', async (expectation) => {
  const answer = await send({
    path: '/bucket/expect',
    body: data,
    headers: { expect: expectation },
  });
  expect([answer.status, answer.continued]).toEqual([200, true]);
});

test('a refused request with Expect is answered without its body', async () => {
  const refused = await send({
    path: '/nobucket/x',
    body: data,
    headers: { expect: '100-continue' },
  });
  expect([refused.code, refused.continued]).toEqual(['NoSuchBucket', false]);
});

test('header values of any bytes', async () => {
  const value = Buffer.from('grün 日本').toString('latin1');
  await send({ path: '/bucket/meta', body: 'x', headers: { 'x-amz-meta-name': value } });
  const { headers } = await send({ method: 'HEAD', path: '/bucket/meta' });
  expect(headers['x-amz-meta-name']).toBe(value);
});

test('a host that names the bucket', async () => {
  await send({ path: '/bucket/by-host', body: 'found' });
  const host = `bucket.localhost:${new URL(s3.endpoint).port}`;
  const { body } = await send({ method: 'GET', path: '/by-host', headers: { host } });
  expect(body.toString()).toBe('found');
});

test.each<[string, Sent, string]>([
  ['too much metadata', { headers: { 'x-amz-meta-a': 'v'.repeat(2100) } }, '400 MetadataTooLarge'],
  ['a key that is too long', { path: `/bucket/${'k'.repeat(1025)}` }, '400 KeyTooLongError'],
  ['an unknown method', { method: 'PATCH' }, '405 MethodNotAllowed'],
  [
    'a key of the client’s',
    { headers: { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' } },
    '501 NotImplemented',
  ],
  ['a bucket that is not there', { path: '/nothing/here' }, '404 NoSuchBucket'],
])('%s', async (_, sent, outcome) => {
  const { status, code } = await send(sent);
  expect(`${status} ${code}`).toBe(outcome);
});
