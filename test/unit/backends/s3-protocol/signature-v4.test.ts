import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  canonicalRequest,
  chunkSigner,
  credentialScope,
  requestSignature,
  signingKey,
} from '../../../../src/backends/s3-protocol/signature-v4.ts';
import { canonicalQuery } from '../../../../src/backends/s3-protocol/uri-encoding.ts';

// The examples of "Authenticating Requests (AWS Signature Version 4)" in the Amazon S3 API reference.
const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const DATE = '20130524T000000Z';
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const key = signingKey(SECRET, '20130524', 'us-east-1');
const scope = credentialScope('20130524', 'us-east-1');

interface Example {
  readonly method?: string;
  readonly path?: string;
  readonly query?: [string, string][];
  readonly headers: Record<string, string>;
  readonly payload: string;
}

function sign({ method = 'GET', path = '/', query = [], headers, payload }: Example): string {
  const names = Object.keys(headers).sort();
  const request = { method, path, query: canonicalQuery(query), names, headers, payload };
  return requestSignature(key, DATE, scope, canonicalRequest(request));
}

const host = 'examplebucket.s3.amazonaws.com';

test.each<[string, Example, string]>([
  [
    'GET Object',
    {
      path: '/test.txt',
      headers: { host, range: 'bytes=0-9', 'x-amz-content-sha256': EMPTY, 'x-amz-date': DATE },
      payload: EMPTY,
    },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'PUT Object',
    {
      method: 'PUT',
      path: '/test%24file.text',
      headers: {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        host,
        'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
        'x-amz-date': DATE,
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      payload: '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'a parameter without a value',
    {
      query: [['lifecycle', '']],
      headers: { host, 'x-amz-content-sha256': EMPTY, 'x-amz-date': DATE },
      payload: EMPTY,
    },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'parameters in any order',
    {
      query: [
        ['prefix', 'J'],
        ['max-keys', '2'],
      ],
      headers: { host, 'x-amz-content-sha256': EMPTY, 'x-amz-date': DATE },
      payload: EMPTY,
    },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
  [
    'a presigned URL',
    {
      path: '/test.txt',
      query: [
        ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
        ['X-Amz-Credential', 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request'],
        ['X-Amz-Date', DATE],
        ['X-Amz-Expires', '86400'],
        ['X-Amz-SignedHeaders', 'host'],
      ],
      headers: { host },
      payload: 'UNSIGNED-PAYLOAD',
    },
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  ],
])('Amazon’s example: %s', (_, example, signature) => {
  expect(sign(example)).toBe(signature);
});

const upload = {
  method: 'PUT',
  path: '/examplebucket/chunkObject.txt',
  headers: {
    'content-encoding': 'aws-chunked',
    'content-length': '66824',
    host: 's3.amazonaws.com',
    'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
    'x-amz-date': DATE,
    'x-amz-decoded-content-length': '66560',
    'x-amz-storage-class': 'REDUCED_REDUNDANCY',
  },
  payload: 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
};
const sha = (length: number) => hash('sha256', 'a'.repeat(length));

test('Amazon’s example of signed chunks', () => {
  const seed = sign(upload);
  expect(seed).toBe('4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9');
  const signer = chunkSigner(key, DATE, scope, seed);
  expect([signer.chunk(sha(65536)), signer.chunk(sha(1024)), signer.chunk(sha(0))]).toEqual([
    'ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648',
    '0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497',
    'b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9',
  ]);
});

test('Amazon’s example of a signed trailer', () => {
  const payload = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER';
  const { 'content-length': _, ...headers } = upload.headers;
  const seed = sign({
    ...upload,
    headers: {
      ...headers,
      'x-amz-content-sha256': payload,
      'x-amz-trailer': 'x-amz-checksum-crc32c',
    },
    payload,
  });
  expect(seed).toBe('106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e');
  const signer = chunkSigner(key, DATE, scope, seed);
  for (const length of [65536, 1024, 0]) signer.chunk(sha(length));
  const trailer = hash('sha256', 'x-amz-checksum-crc32c:sOO8/Q==\n');
  expect(signer.trailer(trailer)).toBe(
    'd81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435',
  );
});
