import { expect, test } from 'vitest';
import { expandPath } from '../../../src/system/shell-words.ts';

const braced = (name: string) => `\${${name}}`;
const ENV = { HOME: '/home/me', DIR: 'photos', EMPTY: '' };

test.each([
  ['~', '/home/me'],
  ['~/backup', '/home/me/backup'],
  ['/a/~/b', '/a/~/b'],
  ['a~b', 'a~b'],
  ['./~', './~'],
  ['$HOME/x', '/home/me/x'],
  [`/mnt/${braced('DIR')}/$DIR`, '/mnt/photos/photos'],
  ['/price\\$DIR', '/price$DIR'],
  ['/5$', '/5$'],
  ['~/a:b', '/home/me/a:b'],
  ['s3:~/a/$DIR', 's3:~/a/$DIR'],
  [':s3,provider=Other:b', ':s3,provider=Other:b'],
  ['', ''],
])('%s means %s', (typed, path) => {
  expect(expandPath(typed, ENV)).toBe(path);
});

test.each([
  ['~root/x', 'home directories of other users'],
  ['~a:b', 'home directories of other users'],
  ['/x/$NONE', '$NONE is not set'],
  [`/x/${braced('EMPTY')}`, '$EMPTY is not set'],
])('%s is refused', (typed, why) => {
  expect(() => expandPath(typed, ENV)).toThrow(why);
});
