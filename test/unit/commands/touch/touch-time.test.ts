import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseTouchTime } from '../../../../commands/touch/touch.ts';
import { SyncerError } from '../../../../src/core/errors.ts';

test.each([
  ['171030', 1_509_321_600_000_000_000n],
  ['690101', -31_536_000_000_000_000n],
  ['680101', 3_092_601_600_000_000_000n],
  ['2006-01-02T15:04:05', 1_136_214_245_000_000_000n],
  ['2006-01-02T15:04:05.5', 1_136_214_245_500_000_000n],
  ['2006-01-02T15:04:05,25', 1_136_214_245_250_000_000n],
  ['2006-01-02T15:04:05.123456789', 1_136_214_245_123_456_789n],
  ['1960-02-29T00:00:00.000000001', -310_521_599_999_999_999n],
  ['2006-01-02T5:04:05.5', 1_136_178_245_500_000_000n],
])('%s', (text, time) => {
  expect(parseTouchTime(text, false)).toBe(time);
});

test.each([
  ...['', ' ', 'abc', '17103', '171330', '170230', '20060102', '2006-01-02'],
  ...['2006-01-02 15:04:05', '2006-01-02T15:04:05Z', '2006-01-02T15:04:05.', '2006-02-30T15:04:05'],
  ...['2006-01-02T24:04:05', '2006-01-02T15:60:05', '2006-01-02T15:04:60', '2006-01-02T5:04:05'],
  '2006-01-02T15:04:05.1234567891',
])('not a time: "%s"', (text) => {
  expect(() => parseTouchTime(text, false)).toThrow(/not a time for --timestamp/);
});

test('local time is that of the machine', () => {
  const local = parseTouchTime('2006-07-02T15:04:05.000000007', true);
  expect(local).toBe(BigInt(new Date(2006, 6, 2, 15, 4, 5).getTime()) * 1_000_000n + 7n);
});

test('any text is a time or a SyncerError', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789-T:.,Z') });
  fc.assert(
    fc.property(fc.oneof(fc.string(), digits), fc.boolean(), (text, isLocal) => {
      try {
        expect(typeof parseTouchTime(text, isLocal)).toBe('bigint');
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(SyncerError);
      }
    }),
  );
});
