import { expect, test } from 'vitest';
import { readHead } from '../../../../src/webhook/http/request-head.ts';

test.each([
  ['/hooks/a', 'h'],
  ['http://other/hooks/a', 'other'],
  ['http://user:password@other:1/hooks/a?b=@c', 'other:1'],
])('the host of a request for %s has no password', (url, host) => {
  const rawHeaders = ['Host', 'h'];
  expect(readHead({ method: 'GET', url, httpVersion: '1.1', rawHeaders }).host).toBe(host);
});
