import { expect, test } from 'vitest';
import { pathBelow, wholePath } from '../../../src/core/remote-path.ts';

test.each([
  ['', 'a/b', 'a/b'],
  ['/', 'a/b', '/a/b'],
  ['/home', 'a', '/home/a'],
  ['bucket/x', 'a', 'bucket/x/a'],
  ['bucket', '', 'bucket'],
])('%s and %s', (root, path, whole) => {
  expect(wholePath(root, path)).toBe(whole);
  expect(pathBelow(root, whole)).toBe(path);
});

test('paths elsewhere', () => {
  expect(pathBelow('bucket/x', 'bucket/xy')).toBeUndefined();
  expect(pathBelow('/home', '/')).toBeUndefined();
});
