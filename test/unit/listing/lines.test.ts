import { expect, test } from 'vitest';
import { lsdLine, lsLine, lslLine, sizeSummaryText } from '../../../commands/list/ls-and-size.ts';
import { shortSize } from '../../../commands/list/tree.ts';
import { joinModTime } from '../../../src/core/mod-time.ts';
import { csvLine, csvSeparator } from '../../../src/listing/csv-line.ts';
import { hashLine, parseHashName } from '../../../src/listing/sum-file.ts';

const time = joinModTime(1_700_000_000, 5);

test('ls, lsl and lsd keep rclone’s columns', () => {
  expect(lsLine(6, 'a b', false)).toBe('        6 a b\n');
  expect(lsLine(1_234_567_890_123, 'a', false)).toBe('1234567890123 a\n');
  expect(lsLine(3_500_000, 'a', true)).toBe('  3.338Mi a\n');
  expect(lsLine(-1, 'a', true)).toBe('       -1 a\n');
  expect(lslLine(6, time, 'a', false)).toMatch(/^ {8}6 2023-11-1\d \d\d:\d\d:20\.000000005 a\n$/);
  expect(lsdLine(-1, time, 'd', false)).toMatch(/^ {10}-1 2023-11-1\d \d\d:\d\d:20 {8}-1 d\n$/);
  expect(lsdLine(-1, time, 'd', true)).toMatch(/^ {7}-1 2023-11-1\d \d\d:\d\d:20 {7}-1 d\n$/);
});

test('size', () => {
  expect(sizeSummaryText({ count: 6, bytes: 2322, sizeless: 0 })).toBe(
    'Total objects: 6\nTotal size: 2.268 KiB (2322 Byte)\n',
  );
  expect(sizeSummaryText({ count: 1001, bytes: 1023, sizeless: 2 })).toBe(
    'Total objects: 1.001k (1001)\nTotal size: 1023 B (1023 Byte)\n' +
      'Total objects with unknown size: 2\n',
  );
});

test('hash lines, with blanks for a hash that is not known', () => {
  const md5 = '781e5e245d69b566979b86e28d23f2c7';
  expect(hashLine(md5, 'md5', 'num', false)).toBe(`${md5}  num\n`);
  expect(hashLine(md5, 'md5', 'num', true)).toBe('eB5eJF1ptWaXm4bijSPyxw==  num\n');
  expect(hashLine(undefined, 'md5', 'num', false)).toBe(`${' '.repeat(34)}num\n`);
  expect(hashLine(undefined, 'md5', 'num', true)).toBe(`${' '.repeat(26)}num\n`);
  expect(hashLine('90015098' + '3cd24fb0d6963f7d28e17f72', 'md5', '-', true)).toBe(
    'kAFQmDzST7DWlj99KOF_cg==  -\n',
  );
});

test('names of hashes in any spelling', () => {
  expect(
    ['md5', 'MD5', 'SHA-1', 'sha1', 'SHA-256', 'CRC-32', 'QuickXorHash'].map((name) =>
      parseHashName(name),
    ),
  ).toEqual(['md5', 'md5', 'sha1', 'sha1', 'sha256', 'crc32', 'quickxor']);
  expect(() => parseHashName('md6')).toThrow('unknown hash type "md6" (known are md5, sha1');
});

test('CSV is quoted as Go quotes it', () => {
  expect(csvLine(['a', 'b c', '', 'd'], ',')).toBe('a,b c,,d\n');
  expect(csvLine([' a', 'b,c', 'd"e', 'f\ng', '\\.', 'h;i'], ',')).toBe(
    '" a","b,c","d""e","f\ng","\\.",h;i\n',
  );
  expect(csvLine(['a,b', 'c;d'], ';')).toBe('a,b;"c;d"\n');
  expect(csvSeparator('|x')).toBe('|');
  expect(csvSeparator('')).toBe(',');
  expect(() => csvSeparator('"')).toThrow('cannot separate');
});

test('short sizes round half to even and change unit above 1024', () => {
  const sizes = [0, 52, 1024, 1025, 1280, 3_500_000, 10_239, 10_240, 12_800, 1024 ** 3 + 1];
  expect(sizes.map(shortSize)).toEqual([
    '0',
    '52',
    '1024',
    '1.0K',
    '1.2K',
    '3.3M',
    '10K',
    '10K',
    '12K',
    '1.0G',
  ]);
});
