import { expect, test } from 'vitest';
import { cleanPath, shownRemote } from '../../../src/core/remote-path.ts';

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

test.each([
  ['s3', 's3'],
  ['s3{Jkht3}', 's3'],
  [':s3{w7T2s}', ':s3'],
  ['', ''],
])('%j is shown as %j', (name, shown) => expect(shownRemote(name)).toBe(shown));
