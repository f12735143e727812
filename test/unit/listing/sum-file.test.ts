import { expect, test } from 'vitest';
import { parseSumFile } from '../../../src/listing/sum-file.ts';

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
