import { expect, test } from 'vitest';
import type { Origin } from '../../../../src/backends/http/http-request.ts';
import { proxyFor } from '../../../../src/backends/http/proxy.ts';

const origin = (hostname: string, secure = true, port = 443): Origin => ({
  secure,
  hostname,
  port,
  host: hostname,
});

const PROXY = 'http://proxy:3128';

test('the scheme chooses the variable, in capitals or not', () => {
  const env = { HTTPS_PROXY: 'secure:1', http_proxy: 'https://us%40er:p%3Ass@plain:2' };
  expect(proxyFor(origin('s3.test'), env)).toEqual({ secure: false, hostname: 'secure', port: 1 });
  expect(proxyFor(origin('s3.test', false, 80), env)).toEqual({
    secure: true,
    hostname: 'plain',
    port: 2,
    login: { user: 'us@er', password: 'p:ss' },
  });
  expect(proxyFor(origin('s3.test'), { ALL_PROXY: PROXY, HTTPS_PROXY: '' })).toBeUndefined();
});

test.each(['localhost', '127.0.0.1', '127.9.9.9', '::1'])('%s has no proxy', (host) => {
  expect(proxyFor(origin(host), { HTTPS_PROXY: PROXY })).toBeUndefined();
});

// As golang.org/x/net/http/httpproxy documents them.
test.each([
  ['s3.test', 's3.test', true],
  ['S3.TEST', 's3.test', true],
  ['a.s3.test', 's3.test', true],
  ['as3.test', 's3.test', false],
  ['s3.test', '.s3.test', false],
  ['a.s3.test', '.s3.test', true],
  ['a.s3.test', '*.s3.test', true],
  ['s3.test', 'other, s3.test:443', true],
  ['s3.test', 's3.test:444', false],
  ['s3.test', '*', true],
  ['s3.test', '', false],
  ['10.1.2.3', '10.0.0.0/8', true],
  ['11.1.2.3', '10.0.0.0/8', false],
  ['10.1.2.3', '10.1.2.3', true],
  ['10.1.2.3', '10.1.2.3:80', false],
  ['fd00::1', 'fd00::/8', true],
  ['fd00::1', '[fd00::1]:443', true],
  ['fd00::1', 'fd00::1', true],
  ['fd00::2', 'fd00::1', false],
  ['10.1.2.3', '10.0.0.0/99', false],
])('%s with NO_PROXY=%s', (host, no_proxy, isExempt) => {
  const proxy = proxyFor(origin(host), { HTTPS_PROXY: PROXY, no_proxy });
  expect(proxy === undefined).toBe(isExempt);
});

test('a SOCKS proxy has its own port', () => {
  expect(proxyFor(origin('s3.test'), { HTTPS_PROXY: 'socks5://proxy' })).toEqual({
    ...{ socks: true, secure: false, hostname: 'proxy', port: 1080 },
  });
});

test.each(['socks4://proxy:1080', 'http://', 'ftp://x'])('%s cannot be used', (text) => {
  expect(() => proxyFor(origin('s3.test'), { HTTPS_PROXY: text })).toThrow(
    /^HTTPS_PROXY is not a proxy: use http:\/\/host:port or socks5:\/\/host:port$/,
  );
});

test('a login with a bare percent sign is refused in words', () => {
  expect(() => proxyFor(origin('s3.test'), { HTTPS_PROXY: 'http://me:100%@proxy:1' })).toThrow(
    /^HTTPS_PROXY has an invalid login: write % in it as %25$/,
  );
});
