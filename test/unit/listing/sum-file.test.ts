import { expect, test } from 'vitest';
import { manifestLine, parseSumFile } from '../../../src/listing/sum-file.ts';

test('lines of md5sum, with and without star, in any case', () => {
  const { sums, faults } = parseSumFile('aa  one\nBB *two three\n\ncc  four\r\n');
  expect([...sums]).toEqual([
    ['one', 'aa'],
    ['two three', 'bb'],
    ['four', 'cc'],
  ]);
  expect(faults).toEqual([]);
});

test('other lines and repeats are faults, by number from 0', () => {
  const { sums, faults } = parseSumFile('\n# note\naa  one\nbb  one\nnothing\n');
  expect([...sums]).toEqual([['one', 'aa']]);
  expect(faults).toEqual([
    'improperly formatted checksum line 1',
    'duplicate file on checksum line 3',
    'improperly formatted checksum line 4',
  ]);
});

test('a line of a manifest has the name on disk, escaped as GNU does, and is read again', () => {
  const paths = ['a b', 'd/new␊line', 'back\\slash', '␡', 'ｚ'];
  const lines = paths.map((path) => manifestLine('ab', path));
  expect(lines).toEqual([
    ...['ab  a b\n', '\\ab  d/new\\nline\n', '\\ab  back\\\\slash\n', 'ab  \x7f\n', 'ab  ｚ\n'],
  ]);
  const { sums, faults } = parseSumFile(lines.join(''));
  expect([...sums.keys()]).toEqual(paths);
  expect(faults).toEqual([]);
});
