import { expect, test } from 'vitest';
import {
  type ListenAddress,
  parseListenAddress,
  shownAddress,
} from '../../../../src/serve/listen/open-listeners.ts';

test.each<[string, ListenAddress, string]>([
  ['localhost:8080', { host: 'localhost', port: 8080 }, 'localhost:8080'],
  [':8080', { host: '::', port: 8080 }, '[::]:8080'],
  ['[::1]:0', { host: '::1', port: 0 }, '[::1]:0'],
  ['unix:///run/x.sock', { path: '/run/x.sock' }, '/run/x.sock'],
  ['/run/x.sock', { path: '/run/x.sock' }, '/run/x.sock'],
  ['http://1.2.3.4:80', { host: '1.2.3.4', port: 80, security: 'plain' }, '1.2.3.4:80'],
  ['tls://:443', { host: '::', port: 443, security: 'tls' }, '[::]:443'],
])('%s', (text, address, shown) => {
  expect(parseListenAddress(text)).toEqual(address);
  expect(shownAddress(address)).toBe(shown);
});

test.each([
  '',
  'nonsense',
  'localhost',
  'localhost:',
  'localhost:99999',
  '::1:80',
  'unix:x',
  '/run/\udcff/socket',
  'ftp://a:1',
])('"%s" is refused', (text) => {
  expect(() => parseListenAddress(text)).toThrow(`--addr ${text}: an address is host:port`);
});
