import { expect, test } from 'vitest';
import { shortRate, shortSize, shortTime } from '../../../../src/shell/progress/short-size.ts';

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1.0 KiB'],
  [1536, '1.5 KiB'],
  [10 * 1024, '10 KiB'],
  [999 * 1024 ** 2, '999 MiB'],
  [1023 * 1024 ** 2, '1.0 GiB'],
  [-5, '0 B'],
])('%d bytes are %s', (bytes, text) => expect(shortSize(bytes)).toBe(text));

test.each([
  [0, '0s'],
  [65.9, '1m5s'],
  [3 * 3600 + 120, '3h2m'],
  [50 * 3600, '2d2h'],
])('%d seconds are %s', (seconds, text) => expect(shortTime(seconds)).toBe(text));

test('speeds in bytes and in bits', () => {
  expect(shortRate(2048, 'bytes')).toBe('2.0 KiB/s');
  expect(shortRate(2048, 'bits')).toBe('16 Kibit/s');
});
