import { afterEach, describe, expect, test } from 'vitest';
import { joinModTime } from '../../../src/core/mod-time.ts';
import {
  formatDateTime,
  formatDateTimeNs,
  formatMonthDay,
  formatRfc3339,
  formatRfc3339Utc,
  fractionDigits,
  timeFormat,
} from '../../../src/listing/time-format.ts';

const zone = process.env['TZ'];
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const time = joinModTime(1_700_000_000, 123_456_789);

test('formats by name', () => {
  process.env['TZ'] = 'UTC';
  const shown = (name: string, precision: bigint | undefined = 1n) =>
    timeFormat(name, precision)(time);
  expect(shown('')).toBe('2023-11-14 22:13:20');
  expect(shown('unix')).toBe('1700000000');
  expect(shown('unixnano')).toBe('1700000000123456789');
  expect(shown('max')).toBe('2023-11-14 22:13:20.123456789');
  expect(shown('max', 1_000_000n)).toBe('2023-11-14 22:13:20.123');
  expect(shown('max', 1_000_000_000n)).toBe('2023-11-14 22:13:20');
  expect(shown('RFC3339')).toBe('2023-11-14T22:13:20Z');
  expect(shown('Jan _2 15:04:05.0000')).toBe('Nov 14 22:13:20.1234');
});

describe.each([
  ['UTC', '2023-11-14 22:13:20', '2023-11-14T22:13:20.123456789Z', 'Nov 14 22:13'],
  ['Asia/Kolkata', '2023-11-15 03:43:20', '2023-11-15T03:43:20.123456789+05:30', 'Nov 15 03:43'],
  [
    'America/St_Johns',
    '2023-11-14 18:43:20',
    '2023-11-14T18:43:20.123456789-03:30',
    'Nov 14 18:43',
  ],
])('in %s', (name, seconds, rfc3339, short) => {
  test('times are local', () => {
    process.env['TZ'] = name;
    expect(formatDateTime(time)).toBe(seconds);
    expect(formatDateTimeNs(time)).toBe(`${seconds}.123456789`);
    expect(formatRfc3339(time, 9)).toBe(rfc3339);
    expect(formatMonthDay(time, time)).toBe(short);
    const later = time + 400n * 86_400_000_000_000n;
    expect(formatMonthDay(time, later)).toBe(short.replace(/..:..$/, ' 2023'));
  });

  test('but not where they are wanted in UTC', () => {
    process.env['TZ'] = name;
    expect(formatRfc3339Utc(time, 3)).toBe('2023-11-14T22:13:20.123Z');
  });
});

test('times before 1970 and with leading zeros', () => {
  process.env['TZ'] = 'UTC';
  expect(formatDateTimeNs(-5_500_000_000n)).toBe('1969-12-31 23:59:54.500000000');
  expect(formatDateTimeNs(7n)).toBe('1970-01-01 00:00:00.000000007');
  expect(formatRfc3339(-1n, 9)).toBe('1969-12-31T23:59:59.999999999Z');
  expect(formatRfc3339Utc(-1n, 9)).toBe('1969-12-31T23:59:59.999999999Z');
});

test('as many digits as the store keeps', () => {
  process.env['TZ'] = 'UTC';
  expect(
    [1n, 2n, 10n, 100n, 1000n, 1_000_000n, 1_000_000_000n, undefined].map(fractionDigits),
  ).toEqual([9, 8, 8, 7, 6, 3, 0, 0]);
  expect(formatRfc3339(time, 0)).toBe('2023-11-14T22:13:20Z');
  expect(formatRfc3339(time, 6)).toBe('2023-11-14T22:13:20.123456Z');
});
