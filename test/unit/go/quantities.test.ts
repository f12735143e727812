import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import {
  formatCount,
  formatSize,
  formatSizeUnit,
  parseByteSize,
} from '../../../src/go/quantities.ts';

const KIB = 1024;
const MIB = KIB * 1024;

describe('parseByteSize', () => {
  test.each([
    ['0', 0],
    ['1', KIB],
    ['1.', KIB],
    ['.5', 512],
    ['0.1', 102],
    ['2.5', 2560],
    ['+1', KIB],
    ['-0', 0],
    ['00012', 12 * KIB],
    ['1b', 1],
    ['102B', 102],
    ['0.999B', 0],
    ['1.9999B', 1],
    ['1k', KIB],
    ['1K', KIB],
    ['1kI', KIB],
    ['1KiB', KIB],
    ['0.1k', 102],
    ['2.268k', 2322],
    ['1M', MIB],
    ['1mi', MIB],
    ['1.5M', 1.5 * MIB],
    ['0.1M', 104857],
    ['10G', 10 * 1024 ** 3],
    ['2.5Ti', 2.5 * 1024 ** 4],
    ['1pib', 1024 ** 5],
    ['7E', 7 * 1024 ** 6],
    ['9007199254740993B', 2 ** 53],
    ['1e3', 1000 * KIB],
    ['1e3B', 1000],
    ['1e2k', 100 * KIB],
    ['1e', 1024 ** 6],
    ['1e-2M', 10485],
    ['1_000', 1000 * KIB],
    ['0x10p0', 16 * KIB],
    ['0x1.8p1B', 3],
    ['0x.8p1B', 1],
    ['0x_1p0B', 1],
    ['off', -1],
    ['oFf', -1],
  ])('%s is %d bytes', (text, bytes) => expect(parseByteSize(text)).toBe(bytes));

  test.each([
    '',
    ' ',
    '.',
    'B',
    'k',
    'KiB',
    'i',
    'iB',
    'Bi',
    '1KB',
    '1MB',
    '1i',
    '1iB',
    '1bb',
    '1ii',
    '1Z',
    '1q',
    '1 K',
    ' 1',
    '1 ',
    '1,5M',
    '1.5.5',
    '1M5',
    '1KK',
    '1KiBB',
    '1__0',
    '_1',
    '1_',
    '0x10',
    '0x',
    '0b1',
    'inf',
    'infB',
    'nanB',
    '1e400',
    '١',
    '-1',
    '-1K',
    '8E',
    '9223372036854775807B',
    'on',
  ])('refuses "%s"', (text) =>
    expect(() => parseByteSize(text)).toThrow(expect.objectContaining({ code: 'usage' })),
  );

  test('says what is wrong', () => {
    expect(() => parseByteSize('10 apples')).toThrow(
      'not a size: "10 apples" (examples: 500B, 10k, 1.5M, 2Gi, off)',
    );
    expect(() => parseByteSize('-1M')).toThrow('a size cannot be negative: "-1M"');
  });

  test('any text is a size or a usage error', () => {
    const piece = fc.constantFrom(
      '1',
      '.',
      'k',
      'Mi',
      'B',
      'e',
      '-',
      '+',
      '_',
      '0x',
      'p',
      'off',
      ' ',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        try {
          const bytes = parseByteSize(candidate);
          return Number.isInteger(bytes) && bytes >= -1;
        } catch (thrown) {
          return thrown instanceof SyncerError && thrown.code === 'usage';
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('reads what is printed, to three decimals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 52 }), (bytes) => {
        const text = formatSize(bytes);
        const read = parseByteSize(/[a-z]$/i.test(text) ? text : `${text}B`);
        return Math.abs(read - bytes) <= bytes * 0.0005 + 1;
      }),
    );
  });
});

describe('printing', () => {
  test.each([
    [-1, 'off', 'off'],
    [0, '0', '0 B'],
    [1023, '1023', '1023 B'],
    [1024, '1Ki', '1 KiB'],
    [1025, '1.001Ki', '1.001 KiB'],
    [1088, '1.062Ki', '1.062 KiB'],
    [1216, '1.188Ki', '1.188 KiB'],
    [1536, '1.500Ki', '1.500 KiB'],
    [2322, '2.268Ki', '2.268 KiB'],
    [1000000, '976.562Ki', '976.562 KiB'],
    [1048575, '1023.999Ki', '1023.999 KiB'],
    [1048577, '1.000Mi', '1.000 MiB'],
    [3500000, '3.338Mi', '3.338 MiB'],
    [1234567890, '1.150Gi', '1.150 GiB'],
    [5e12, '4.547Ti', '4.547 TiB'],
    [1024 ** 5, '1Pi', '1 PiB'],
    [1024 ** 6, '1Ei', '1 EiB'],
  ])('%d bytes are %s', (bytes, short, long) => {
    expect(formatSize(bytes)).toBe(short);
    expect(formatSizeUnit(bytes)).toBe(long);
  });

  test('a rate', () => expect(formatSizeUnit(1536, '/s')).toBe('1.500 KiB/s'));

  test.each([
    [0, '0'],
    [999, '999'],
    [1000, '1k'],
    [1001, '1.001k'],
    [1062500, '1.062M'],
    [2500000, '2.500M'],
    [3e9, '3G'],
  ])('a count of %d is %s', (count, text) => expect(formatCount(count)).toBe(text));
});
