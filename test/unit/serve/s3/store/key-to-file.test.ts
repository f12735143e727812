import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameFromBytes } from '../../../../../src/core/name-bytes.ts';
import {
  ESCAPED,
  escapedFile,
  keyOfEscapedFile,
  plainFile,
} from '../../../../../src/serve/s3/store/bucket-folder.ts';

/** Keys of any bytes, many of them with slashes, dots and percent signs. */
const keys = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '/',
        '//',
        '.',
        '..',
        '+',
        '%',
        '%2F',
        'a',
        '.syncer-s3',
        '\n',
        'ü',
        '\0',
        '😀',
      ),
      fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => nameFromBytes(bytes)),
    ),
    { minLength: 1, maxLength: 30 },
  )
  .map((parts) => nameFromBytes(Buffer.concat(parts.map((part) => Buffer.from(part, 'utf8')))));

const below = (key: string) => escapedFile(key).slice(ESCAPED.length + 1);

test('every key comes back from its escaped file', () => {
  fc.assert(fc.property(keys, (key) => keyOfEscapedFile(below(key)) === key));
});

test('escaped files are names that every file system takes', () => {
  fc.assert(
    fc.property(keys, (key) => {
      for (const name of below(key).split('/')) {
        expect(name).toMatch(/^[A-Za-z0-9\-_~%]{1,200}\+?$/);
      }
    }),
  );
});

test('no two keys share a file, and no key’s file is another key’s folder', () => {
  fc.assert(
    fc.property(keys, keys, (a, b) => {
      fc.pre(a !== b);
      expect(below(a)).not.toBe(below(b));
      expect(below(a).startsWith(`${below(b)}/`)).toBe(false);
    }),
  );
});

test('no escaped file of one key is the plain file of another', () => {
  fc.assert(fc.property(keys, (key) => plainFile(escapedFile(key)) === undefined));
});

test('a long key is cut into folders', () => {
  const pieces = below('a'.repeat(1024)).split('/');
  expect(pieces.map((piece) => piece.length)).toEqual([201, 201, 201, 201, 201, 24]);
  expect(keyOfEscapedFile(below('a'.repeat(200)))).toBe('a'.repeat(200));
});

test.each(['a', 'a/b.txt', ' x /\t', 'new\nline', 'ü', '.hidden', 'a/.syncer-s3', 'x'.repeat(255)])(
  'a file as people would look for it: %j',
  (key) => expect(plainFile(key)).toBe(key),
);

test.each([
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  'a/../b',
  'a/.',
  'nul\0',
  '.syncer-s3',
  '.syncer-s3/x',
  'x'.repeat(256),
  'ü'.repeat(128),
])('not a path: %j', (key) => expect(plainFile(key)).toBeUndefined());

test.each(['a b', 'a.txt', '%4', '%zz', '%41', 'x+', '', 'a/b', '+/a'])(
  'not a file this server makes: %j',
  (path) => expect(keyOfEscapedFile(path)).toBeUndefined(),
);
