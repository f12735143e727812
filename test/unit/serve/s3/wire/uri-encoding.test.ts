import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeUri, encodeUriPath } from '../../../../../src/backends/s3-protocol/uri-encoding.ts';
import { nameFromBytes } from '../../../../../src/core/name-bytes.ts';
import { readAddress } from '../../../../../src/serve/s3/handle-request.ts';
import { parseQuery, uriDecode } from '../../../../../src/serve/s3/wire/uri-encoding.ts';

test('names of any bytes survive being encoded and decoded', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const name = nameFromBytes(bytes);
      expect(uriDecode(encodeUri(name))).toBe(name);
      expect(uriDecode(encodeUriPath(name))).toBe(name);
    }),
  );
});

test('what stays and what does not', () => {
  expect(encodeUri("AZaz09-._~ /+%'()*!ü")).toBe('AZaz09-._~%20%2F%2B%25%27%28%29%2A%21%C3%BC');
  expect(encodeUriPath('a b/c')).toBe('a%20b/c');
  expect(uriDecode('a+b')).toBe('a+b');
});

test.each(['%', '%1', '%zz', 'a%2'])('no encoding: %s', (text) => {
  expect(() => uriDecode(text)).toThrow('parse');
});

test('parameters', () => {
  expect(parseQuery('')).toEqual([]);
  expect(parseQuery('uploads&prefix=a%2Fb+c&x==&&prefix=second')).toEqual([
    ['uploads', ''],
    ['prefix', 'a/b c'],
    ['x', '='],
    ['prefix', 'second'],
  ]);
});

test.each([
  ['/', undefined, '', ''],
  ['//', undefined, '', ''],
  ['/bucket', undefined, 'bucket', ''],
  ['/bucket/', undefined, 'bucket', ''],
  ['/bucket/a/b?x=y', undefined, 'bucket', 'a/b'],
  ['/bucket//a//', undefined, 'bucket', '/a//'],
  ['/bucket/%2e%2E/a', 'localhost:80', 'bucket', '../a'],
  ['/a/b', 'photos.localhost:8080', 'photos', 'a/b'],
  ['/', 'my.photos.localhost', 'my.photos', ''],
  ['http://host:1/bucket/key', 'host:1', 'bucket', 'key'],
  ['*', undefined, '', ''],
])('%s at %s is bucket %j, key %j', (url, host, bucketName, key) => {
  expect(readAddress(url, host)).toMatchObject({ bucketName, key });
});

test('a key without a bucket is no request for the list of buckets', () => {
  expect(() => readAddress('//bucket/key', undefined)).toThrow("Couldn't parse the specified URI.");
});
