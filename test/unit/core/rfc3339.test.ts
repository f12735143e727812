import { describe, expect, it, vi } from 'vitest';
import {
  formatRfc3339Nano,
  formatRfc3339NanoUtc,
  parseRfc3339,
} from '../../../src/core/mod-time.ts';

describe('parseRfc3339', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 0n],
    ['1970-01-01T01:00:00+01:00', 0n],
    ['2023-11-14T22:13:20.123456789Z', 1_700_000_000_123_456_789n],
    ['2023-11-14T22:13:20,5Z', 1_700_000_000_500_000_000n],
    ['2023-11-14T22:13:20.1234567899Z', 1_700_000_000_123_456_789n],
    ['1969-12-31T23:59:59.25Z', -750_000_000n],
  ])('reads %s', (text, time) => {
    expect(parseRfc3339(text)).toBe(time);
  });

  it.each([
    '',
    '2023-11-14',
    '2023-11-14T22:13:20',
    '2023-11-14 22:13:20Z',
    '2023-02-30T00:00:00Z',
    '2023-11-14T25:00:00Z',
    '1700000000',
  ])('does not read %j', (text) => {
    expect(parseRfc3339(text)).toBeUndefined();
  });
});

describe('formatRfc3339Nano', () => {
  it('has as many decimals as there are', () => {
    expect(formatRfc3339NanoUtc(0n)).toBe('1970-01-01T00:00:00Z');
    expect(formatRfc3339NanoUtc(1n)).toBe('1970-01-01T00:00:00.000000001Z');
    expect(formatRfc3339NanoUtc(-750_000_000n)).toBe('1969-12-31T23:59:59.25Z');
  });

  it('is in local time, and reads back', () => {
    vi.stubEnv('TZ', 'America/St_Johns');
    expect(formatRfc3339Nano(1_700_000_000_100_000_000n)).toBe('2023-11-14T18:43:20.1-03:30');
    vi.stubEnv('TZ', 'UTC');
    expect(formatRfc3339Nano(1_700_000_000_100_000_000n)).toBe('2023-11-14T22:13:20.1Z');
    vi.unstubAllEnvs();
    for (const time of [1_700_000_000_123_456_789n, -1n, 0n, 951_782_400_000_000_000n]) {
      expect(parseRfc3339(formatRfc3339Nano(time))).toBe(time);
    }
  });
});
