import { expect, test } from 'vitest';
import { nameFromDisposition, nameFromUrl } from '../../../../commands/copyurl/copyurl.ts';

test.each([
  ['http://host/a/b.txt', 'b.txt'],
  ['http://host/a/b.txt?x=/y#z/w', 'b.txt'],
  ['http://host/dir/', 'dir'],
  ['http://host/a%20b%2Fc.txt', 'c.txt'],
  ['http://host/na%C3%AFve', 'naïve'],
  ['http://host/50%', '50%'],
  ['http://host', undefined],
  ['http://host/', undefined],
  ['http://host/a/%2e%2e%2f', undefined],
  ['http://host/a%00b', undefined],
])('the name of %s', (url, name) => {
  expect(nameFromUrl(new URL(url))).toBe(name);
});

test.each([
  ['attachment; filename=plain.txt', 'plain.txt'],
  ['attachment; filename="a b; c.txt"', 'a b; c.txt'],
  ['inline;FileName = "x\\"y"', 'x"y'],
  ['attachment; filename="C:\\dir\\file.txt"', 'file.txt'],
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  [`attachment; filename=old; filename*=UTF-8''na%C3%AFve%20f`, 'naïve f'],
  [`attachment; filename*=iso-8859-1'en'%A3.txt; filename=old`, '£.txt'],
  [`attachment; filename*=koi8-r''%C1`, undefined],
  ['attachment; filename=".."', undefined],
  ['attachment; filename=""', undefined],
  ['attachment', undefined],
  ['', undefined],
  [undefined, undefined],
])('the name in %s', (header, name) => {
  expect(nameFromDisposition(header)).toBe(name);
});
