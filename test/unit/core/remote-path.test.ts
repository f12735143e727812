import { expect, test } from 'vitest';
import { cleanPath } from '../../../src/core/remote-path.ts';

test.each([
  ['', ''],
  ['/', ''],
  ['bucket', 'bucket'],
  ['/bucket/dir/', 'bucket/dir'],
  ['bucket//dir', 'bucket/dir'],
  ['bucket/./dir/.', 'bucket/dir'],
  ['bucket/dir/../other', 'bucket/other'],
  ['../../bucket', 'bucket'],
  ['bucket/...', 'bucket/...'],
  ['bucket/a b/．', 'bucket/a b/．'],
])('the typed path "%s" is "%s"', (typed, expected) => {
  expect(cleanPath(typed)).toBe(expected);
});
