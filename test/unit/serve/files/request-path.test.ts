import { expect, test } from 'vitest';
import { cleanBase, hrefOf, readTarget } from '../../../../src/serve/files/call.ts';

test.each([
  ['/', '', { path: '', isDir: true }],
  ['/a/b.txt', '', { path: 'a/b.txt', isDir: false }],
  ['/a/b/?sort=size', '', { path: 'a/b', isDir: true }],
  ['//a///b', '', { path: 'a/b', isDir: false }],
  ['/%41%20%26%3Cb%3E', '', { path: 'A &<b>', isDir: false }],
  ['/%ff', '', { path: '\udcff', isDir: false }],
  ['http://host:80/a', '', { path: 'a', isDir: false }],
  ['/pre/a', '/pre', { path: 'a', isDir: false }],
  ['/pre', '/pre', { path: '', isDir: false }],
  ['*', '/pre', { path: '', isDir: true }],
  ['/p%20q/a', '/p q', { path: 'a', isDir: false }],
])('%s with the base "%s"', (url, base, expected) => {
  expect(readTarget(url, base)).toMatchObject(expected);
});

test.each([
  ['/a', '/pre', 404],
  ['/prefix/a', '/pre', 404],
  ['/..', '', 400],
  ['/a/%2e%2e/b', '', 400],
  ['/..%2fb', '', 400],
  ['/a%2fb', '', 400],
  ['/a%00', '', 400],
  ['/%', '', 400],
  ['/a#b', '', 400],
  ['/%zz', '', 400],
])('%s with the base "%s" is refused', (url, base, status) => {
  expect(() => readTarget(url, base)).toThrow(expect.objectContaining({ status }));
});

test('a base has a slash in front and none behind', () => {
  expect(['', '/', 'a', '/a/', 'a/b/'].map(cleanBase)).toEqual(['', '', '/a', '/a', '/a/b']);
});

test('the URL of an entry leads back to it', () => {
  for (const path of ['a', 'a b/c', '%41', 'x?y#z', 'ü/\udcff', '<\'&">']) {
    for (const base of ['', '/pre', '/p q']) {
      expect(readTarget(hrefOf(base, path, true), base)).toMatchObject({ path, isDir: true });
    }
  }
});
