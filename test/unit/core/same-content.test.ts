import { expect, test } from 'vitest';
import type { FileEntry } from '../../../src/core/remote.ts';
import { isUntouched, sameContent } from '../../../src/core/same-content.ts';

const file = (more: Partial<FileEntry>): FileEntry => ({
  kind: 'file',
  path: 'f',
  size: 5,
  ...more,
});

test.each<[string, Partial<FileEntry>, Partial<FileEntry>, boolean]>([
  ['the same tag', { etag: 'a' }, { etag: 'a', modTime: 1n }, true],
  ['another tag', { etag: 'a', modTime: 1n }, { etag: 'b', modTime: 1n }, false],
  [
    'another tag, the same hash',
    { etag: 'a', hashes: { md5: 'x' } },
    { etag: 'b', hashes: { md5: 'x' } },
    true,
  ],
  [
    'another hash',
    { hashes: { md5: 'x' }, modTime: 1n },
    { hashes: { md5: 'y' }, modTime: 1n },
    false,
  ],
  [
    'the same checksum alone',
    { etag: 'a', hashes: { quickxor: 'x' }, modTime: 1n },
    { etag: 'b', hashes: { quickxor: 'x' }, modTime: 2n },
    false,
  ],
  [
    'the same checksum and time',
    { etag: 'a', hashes: { quickxor: 'x' }, modTime: 1n },
    { etag: 'b', hashes: { quickxor: 'x' }, modTime: 1n },
    true,
  ],
  [
    'the same tag of the content',
    { etag: 'a', contentTag: 'c', modTime: 1n },
    { etag: 'b', contentTag: 'c', modTime: 2n },
    true,
  ],
  [
    'another tag of the content, the same checksum and time',
    { etag: 'a', contentTag: 'c', hashes: { quickxor: 'x' }, modTime: 1n },
    { etag: 'b', contentTag: 'd', hashes: { quickxor: 'x' }, modTime: 1n },
    false,
  ],
  ['another size', { size: 4, etag: 'a' }, { etag: 'a' }, false],
  ['the same time', { modTime: 1n }, { modTime: 1n }, true],
  ['another time', { modTime: 1n }, { modTime: 2n }, false],
  ['the size alone', { modTime: 1n }, {}, false],
  ['sizes that are not known', { size: -1, etag: 'a' }, { size: -1, etag: 'a' }, false],
])('%s', (_, a, b, expected) => {
  expect(sameContent(file(a), file(b))).toBe(expected);
});

test('with fast fingerprints the size is believed where nothing better is told', () => {
  expect(sameContent(file({ modTime: 1n }), file({}), true)).toBe(true);
  expect(sameContent(file({ etag: 'a' }), file({ etag: 'b' }), true)).toBe(false);
});

test.each<[string, Partial<FileEntry>, Partial<FileEntry> | 'nothing' | undefined, boolean]>([
  ['its tag', { etag: 'a' }, { etag: 'a' }, true],
  ['its tag and second', { etag: 'a', storedTime: 5n }, { etag: 'a', storedTime: 7n }, true],
  [
    'its tag, stored later',
    { etag: 'a', storedTime: 9n ** 10n },
    { etag: 'a', storedTime: 7n },
    false,
  ],
  ['another tag', { etag: 'a' }, { etag: 'b' }, false],
  ['no tag', {}, {}, false],
  ['its tag, known to be wrong', { etag: 'a' }, { etag: 'a', isWrong: true }, false],
  ['its tag, of another item', { etag: 'a', id: '1' }, { etag: 'a', id: '2' }, false],
  ['nothing that was there', { etag: 'a' }, 'nothing', false],
  ['what nobody knows', { etag: 'a' }, undefined, false],
])('what is found after a write is the file of before: %s', (_, found, replaced, isSame) => {
  const before = typeof replaced === 'object' ? file(replaced) : replaced;
  expect(isUntouched(file(found), before)).toBe(isSame);
});
