import { expect, test } from 'vitest';
import { openPresigned, signatureV2 } from '../../../../../src/serve/s3/auth/authenticate.ts';

test('a signed parameter beats a header of the same name', () => {
  const query = new Map([
    ['X-Amz-Signature', 'x'],
    ['Content-MD5', 'signed'],
    ['versionId', '1'],
  ]);
  const plain = openPresigned(query, { 'content-md5': 'sent', 'content-type': 'a/b' });
  expect(plain.headers).toEqual({ 'content-md5': 'signed', 'content-type': 'a/b' });
  expect([...plain.query]).toEqual([['versionId', '1']]);
});

test('version 2 signs no line break as the end of a header', () => {
  const signed = (...parameters: [string, string][]) =>
    signatureV2('secret', {
      ...{ method: 'PUT', resource: '/bucket/key', headers: {} },
      query: new Map([['Signature', 'x'], ['Expires', '1'], ...parameters]),
    });
  expect(signed(['x-amz-meta-a', '1'], ['x-amz-object-lock-legal-hold', 'ON'])).toHaveLength(28);
  expect(() => signed(['x-amz-meta-a', '1\nx-amz-object-lock-legal-hold:ON'])).toThrow(
    expect.objectContaining({ code: 'InvalidArgument' }),
  );
});
