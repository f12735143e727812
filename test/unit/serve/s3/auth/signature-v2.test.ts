import type { IncomingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { createAuthenticator, signatureV2 } from '../../../../../src/serve/s3/auth/authenticate.ts';
import { S3Error } from '../../../../../src/serve/s3/wire/s3-error.ts';
import { parseQuery } from '../../../../../src/serve/s3/wire/uri-encoding.ts';

// The examples of Amazon's documentation of version 2.
const KEY = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const NOW = Date.UTC(2007, 2, 27, 19, 36, 42);

interface Case {
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  readonly headers?: IncomingHttpHeaders;
}
const get: Case = {
  path: '/photos/puppy.jpg',
  headers: { date: 'Tue, 27 Mar 2007 19:36:42 +0000' },
};

test.each<[string, Case, string]>([
  ['GET', get, 'bWq2s1WEIj+Ydj0vQ697zp+IXMU='],
  [
    'PUT',
    {
      ...{ method: 'PUT', path: '/photos/puppy.jpg' },
      headers: { 'content-type': 'image/jpeg', date: 'Tue, 27 Mar 2007 21:15:45 +0000' },
    },
    'MyyxeRY7whkBe+bq8fHCL/2kKUg=',
  ],
  [
    'a listing',
    {
      ...{ path: '/', query: 'prefix=photos&max-keys=50&marker=puppy' },
      headers: { date: 'Tue, 27 Mar 2007 19:42:41 +0000' },
    },
    'htDYFYduRNen8P9ZfE/s9SuKy0U=',
  ],
  [
    'a subresource',
    { path: '/', query: 'acl', headers: { date: 'Tue, 27 Mar 2007 19:44:46 +0000' } },
    'c2WLPFtWHVgbEmeEG93a4cG37dM=',
  ],
  [
    'a presigned URL',
    {
      path: '/photos/puppy.jpg',
      query: 'AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&Signature=x&Expires=1175139620',
    },
    'NpgCjnDzrM+WFzoENXmpNDUsSn8=',
  ],
])('the signature of %s', (_, { method = 'GET', path, query = '', headers = {} }, signature) => {
  const resource = `/johnsmith${path}`;
  const request = { method, resource, headers, query: new Map(parseQuery(query)) };
  expect(signatureV2(KEY.secretAccessKey, request)).toBe(signature);
});

const authenticate = createAuthenticator([KEY], 'us-east-1', () => NOW);

function outcome({ method = 'GET', path, query = '', headers = {} }: Case): string {
  try {
    const pairs = parseQuery(query);
    const request = { method, rawPath: path, virtualBucket: 'johnsmith', query: pairs, headers };
    return authenticate(request).accessKeyId ?? 'anonymous';
  } catch (error) {
    return error instanceof S3Error ? error.code : String(error);
  }
}

const authorization = `AWS ${KEY.accessKeyId}:bWq2s1WEIj+Ydj0vQ697zp+IXMU=`;
const signed = { ...get, headers: { ...get.headers, authorization } };
const url = (expires: number, signature: string): Case => ({
  path: '/photos/puppy.jpg',
  query: `AWSAccessKeyId=${KEY.accessKeyId}&Signature=${encodeURIComponent(signature)}&Expires=${expires}`,
});

test.each<[string, Case, string]>([
  ['a right signature', signed, KEY.accessKeyId],
  ['a right URL', url(1175139620, 'NpgCjnDzrM+WFzoENXmpNDUsSn8='), KEY.accessKeyId],
  ['a wrong URL', url(1175139621, 'NpgCjnDzrM+WFzoENXmpNDUsSn8='), 'SignatureDoesNotMatch'],
  ['an expired URL', url(1175024201, 'x'), 'AccessDenied'],
  ['a URL without an end', { ...url(0, 'x'), query: 'Signature=x' }, 'AccessDenied'],
  ['another path', { ...signed, path: '/photos/other.jpg' }, 'SignatureDoesNotMatch'],
  ['another method', { ...signed, method: 'DELETE' }, 'SignatureDoesNotMatch'],
  ['a subresource more', { ...signed, query: 'retention' }, 'SignatureDoesNotMatch'],
  [
    'an unsigned x-amz- header',
    { ...signed, headers: { ...signed.headers, 'x-amz-meta-a': '1' } },
    'SignatureDoesNotMatch',
  ],
  [
    'an unsigned x-amz- parameter',
    { ...signed, query: 'Signature=x&Expires=1&x-amz-acl=private' },
    'AccessDenied',
  ],
  [
    'an old date',
    { ...signed, headers: { ...signed.headers, date: 'Tue, 27 Mar 2007 19:16:42 +0000' } },
    'RequestTimeTooSkewed',
  ],
  ['no date', { ...signed, headers: { authorization } }, 'AccessDenied'],
  [
    'an unknown key',
    { ...signed, headers: { ...get.headers, authorization: 'AWS nobody:x' } },
    'InvalidAccessKeyId',
  ],
])('%s by version 2', (_, request, code) => {
  expect(outcome(request)).toBe(code);
});
