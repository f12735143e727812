import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  formatDecimalSeconds,
  joinModTime,
  modTimeFromMs,
  modTimeToMs,
  parseDecimalSeconds,
  sameModTime,
  splitModTime,
} from '../../../src/core/mod-time.ts';

/** About 1700 to 2260, what Go's `time.Time` in nanoseconds can hold. */
const anyTime = fc.bigInt({ min: -8_500_000_000_000_000_000n, max: 9_200_000_000_000_000_000n });

describe('decimal seconds', () => {
  it.each([
    [1_700_000_000_500_000_000n, '1700000000.5'],
    [1_700_000_000_000_000_000n, '1700000000'],
    [1_700_000_000_123_456_789n, '1700000000.123456789'],
    [0n, '0'],
    [1n, '0.000000001'],
    [-1_500_000_000n, '-1.5'],
  ])('%d is %s', (time, text) => {
    expect(formatDecimalSeconds(time)).toBe(text);
    expect(parseDecimalSeconds(text)).toBe(time);
  });

  it('give any time back', () => {
    fc.assert(
      fc.property(anyTime, (time) => {
        expect(parseDecimalSeconds(formatDecimalSeconds(time))).toBe(time);
      }),
    );
  });

  it('may have more decimals than there are nanoseconds, or none after the point', () => {
    expect(parseDecimalSeconds('1.1234567899')).toBe(1_123_456_789n);
    expect(parseDecimalSeconds(' +2. ')).toBe(2_000_000_000n);
  });

  it.each(['', 'now', '1e9', '1,5', '.5', '--1'])('are not %j', (text) => {
    expect(parseDecimalSeconds(text)).toBeUndefined();
  });
});

describe('parts of a time', () => {
  it('join to the same time, with nanoseconds never negative', () => {
    fc.assert(
      fc.property(anyTime, (time) => {
        const { seconds, nanoseconds } = splitModTime(time);
        expect(nanoseconds).toBeGreaterThanOrEqual(0);
        expect(nanoseconds).toBeLessThan(1_000_000_000);
        expect(joinModTime(seconds, nanoseconds)).toBe(time);
      }),
    );
  });

  it('before 1970 count down to the second below', () => {
    expect(splitModTime(-1n)).toEqual({ seconds: -1, nanoseconds: 999_999_999 });
  });
});

describe('milliseconds', () => {
  it('go there and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -8_000_000_000_000, max: 8_000_000_000_000 }), (ms) => {
        expect(modTimeToMs(modTimeFromMs(ms))).toBe(ms);
      }),
    );
  });

  it('may have fractions; are rounded down on the way back', () => {
    expect(modTimeFromMs(1.5)).toBe(1_500_000n);
    expect(modTimeToMs(1_999_999n)).toBe(1);
    expect(modTimeToMs(-1n)).toBe(-1);
  });
});

describe('sameModTime', () => {
  it('wants a difference smaller than the window', () => {
    expect(sameModTime(5n, 5n, 1n)).toBe(true);
    expect(sameModTime(5n, 6n, 1n)).toBe(false);
    expect(sameModTime(1_000_000_000n, 0n, 1_000_000_000n)).toBe(false);
    expect(sameModTime(0n, 999_999_999n, 1_000_000_000n)).toBe(true);
  });
});
