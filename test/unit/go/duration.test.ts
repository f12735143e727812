import fc from 'fast-check';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { SyncerError } from '../../../src/core/errors.ts';
import {
  DURATION_OFF,
  formatDuration,
  formatGoDuration,
  formatReadableDuration,
  parseDuration,
} from '../../../src/go/quantities.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.parse('2026-11-20T12:00:00Z');

describe('parseDuration', () => {
  test.each([
    ['0', 0],
    ['-0', 0],
    ['1', SECOND],
    ['1.', SECOND],
    ['0.1', 100],
    ['1e3', 1000 * SECOND],
    ['1_000', 1000 * SECOND],
    ['20200101', 20200101 * SECOND],
    ['1ns', 1e-6],
    ['1us', 1e-3],
    ['1µs', 1e-3],
    ['1μs', 1e-3],
    ['1ms', 1],
    ['1s', SECOND],
    ['1.s', SECOND],
    ['.5s', 500],
    ['1m', MINUTE],
    ['1.5m', 90 * SECOND],
    ['1h', HOUR],
    ['+1h', HOUR],
    ['-1s', -SECOND],
    ['1h30m', 1.5 * HOUR],
    ['0.5h30m', HOUR],
    ['1h2m3.4s', HOUR + 2 * MINUTE + 3.4 * SECOND],
    ['30m1h', 1.5 * HOUR],
    ['1d', DAY],
    ['1.d', DAY],
    ['1.5d', 1.5 * DAY],
    ['-1.5d', -1.5 * DAY],
    ['1e3d', 1000 * DAY],
    ['2w', 14 * DAY],
    ['1M', 30 * DAY],
    ['1y', 365 * DAY],
    ['1.5y', 547.5 * DAY],
    ['300y', 300 * 365 * DAY],
    ['off', DURATION_OFF],
  ])('%s is %d ms', (text, ms) => expect(parseDuration(text, NOW)).toBeCloseTo(ms, 6));

  describe('the time since a date, where local time is an hour or two ahead', () => {
    beforeEach(() => vi.stubEnv('TZ', 'Europe/Berlin'));

    test.each([
      ['2026-11-20T11:00:00Z', HOUR],
      ['2026-11-20T11:00:00+01:00', 2 * HOUR],
      ['2026-11-20T11:00:00-01:30', -30 * MINUTE],
      ['2026-11-20T11:59:59.5Z', 500],
      ['2026-11-21T12:00:00Z', -DAY],
      ['2026-11-20', 13 * HOUR],
      ['2026-11-20T11:00:00', 2 * HOUR],
      ['2026-11-20 11:00:00', 2 * HOUR],
      ['2026-11-20 9:00:00', 4 * HOUR],
      ['2026-11-20T12:59:59,25', 750],
      ['2026-07-20', 123 * DAY + 14 * HOUR],
      ['2024-02-29T00:00:00Z', 995 * DAY + 12 * HOUR],
      ['0050-01-01T00:00:00Z', NOW - Date.parse('0050-01-01T00:00:00Z')],
    ])('%s', (text, ms) => expect(parseDuration(text, NOW)).toBe(ms));
  });

  test.each([
    '',
    ' ',
    '.',
    '-',
    '+',
    's',
    'd',
    '-d',
    '.s',
    '1x',
    '1H',
    '1D',
    '1min',
    '1µ',
    '1e3s',
    '0x10',
    '1 d',
    '1d ',
    '--1s',
    '1h-2m',
    '1h 2m',
    '1h2',
    '2h1.5',
    '1d12h',
    '1h1d',
    '1.5.5d',
    'OFF',
    'inf',
    'nand',
    '1e400d',
    '2020-1-1',
    '2020-02-30',
    '2021-02-29',
    '2020-13-01',
    '2020-00-10',
    '2020-01-00',
    '10000-01-01',
    '2020-01-01T10:00',
    '2020-01-01T24:00:00',
    '2020-01-01T23:60:00',
    '2020-01-01T23:59:60',
    '2020-01-01t10:00:00Z',
    '2020-01-01T10:00:00z',
    '2020-01-01T10:00:00+0200',
    '2020-01-01T10:00:00+02',
    '2020-01-01 10:00:00Z',
    '2020-01-01Z',
    '2020-01-01T10:00:00.Z',
    ' 2020-01-01',
    '2020-01-01 ',
  ])('refuses "%s"', (text) =>
    expect(() => parseDuration(text, NOW)).toThrow(expect.objectContaining({ code: 'usage' })),
  );

  test('any text is a duration or a usage error', () => {
    const piece = fc.constantFrom(
      '1',
      '2026',
      '-',
      ':',
      'T',
      '.',
      'h',
      'ms',
      'd',
      'M',
      'e',
      'off',
      ' ',
      '+',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        try {
          return !Number.isNaN(parseDuration(candidate, NOW));
        } catch (thrown) {
          return thrown instanceof SyncerError && thrown.code === 'usage';
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('reads what is printed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e12 }), (ms) => {
        expect(parseDuration(formatDuration(ms), NOW) / (ms || 1)).toBeCloseTo(ms === 0 ? 0 : 1, 9);
      }),
    );
  });
});

describe('printing', () => {
  test.each([
    [0, '0s'],
    [1e-6, '1ns'],
    [0.1, '100µs'],
    [1.5, '1.5ms'],
    [3.4 * SECOND, '3.4s'],
    [90 * SECOND, '1m30s'],
    [HOUR, '1h0m0s'],
    [-HOUR, '-1h0m0s'],
    [DAY - 1, '23h59m59.999s'],
    [DAY, '1d'],
    [25 * HOUR, '1.0416666666666667d'],
    [-25 * HOUR, '-1.0416666666666667d'],
    [7 * DAY, '1w'],
    [8 * DAY, '1.1428571428571428w'],
    [45 * DAY, '1.5M'],
    [365 * DAY, '1y'],
    [1000 * DAY, '2.73972602739726y'],
    [DURATION_OFF, 'off'],
  ])('the flag value %d ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  test.each([
    [0n, '0s'],
    [1n, '1ns'],
    [999n, '999ns'],
    [1100n, '1.1µs'],
    [2_200_000n, '2.2ms'],
    [3_300_000_000n, '3.3s'],
    [1_234_567_891n, '1.234567891s'],
    [245_000_000_000n, '4m5s'],
    [245_001_000_000n, '4m5.001s'],
    [18_367_001_000_000n, '5h6m7.001s'],
    [480_000_000_001n, '8m0.000000001s'],
    [-93_600_000_000_000n, '-26h0m0s'],
    [9_223_372_036_854_775_807n, '2562047h47m16.854775807s'],
  ])('Go prints %d ns as %s', (ns, text) => expect(formatGoDuration(ns)).toBe(text));

  test.each([
    [0, '0s'],
    [0.4, '0s'],
    [1, '1ms'],
    [HOUR + 2 * MINUTE + 3 * SECOND, '1h2m3s'],
    [DAY, '1d'],
    [7 * DAY, '1w'],
    [364 * DAY, '52w'],
    [365 * DAY, '1y'],
    [(365 + 7 + 1) * DAY + HOUR + MINUTE + SECOND + 1, '1y1w1d1h1m1s1ms'],
    [-HOUR, '-1h'],
    [DURATION_OFF, 'off'],
  ])('for people %d ms are %s', (ms, text) => expect(formatReadableDuration(ms)).toBe(text));
});

test('a very long text that is nearly a duration is refused at once', () => {
  const text = '1h30m'.repeat(5_000);
  expect(() => parseDuration(`${text}x`, 0)).toThrow(/not a duration/);
  expect(parseDuration(text, 0)).toBe(5_000 * 90 * 60_000);
});
