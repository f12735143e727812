import { expect, test } from 'vitest';
import { formatByGoLayout, namedGoLayout } from '../../../src/go/format-by-go-layout.ts';

const time = new Date(2026, 2, 5, 15, 4, 9, 70).getTime();
const early = new Date(2026, 10, 20, 0, 30, 0, 0).getTime();

test.each([
  ['2006/01/02 15:04:05 - ', '2026/03/05 15:04:09 - ', '2026/11/20 00:30:00 - '],
  ['06-1-2 3:4:5pm', '26-3-5 3:4:9pm', '26-11-20 12:30:0am'],
  ['Mon Jan _2 03:04 PM', 'Thu Mar  5 03:04 PM', 'Fri Nov 20 12:30 AM'],
  ['Monday, 02-January', 'Thursday, 05-March', 'Friday, 20-November'],
  ['002 __2', '064  64', '324 324'],
  ['05.000 05.999 05,00', '09.070 09.07 09,07', '00.000 00 00,00'],
  ['Month', 'Month', 'Month'],
  ['', '', ''],
])('%j', (layout, first, second) => {
  expect(formatByGoLayout(time, layout)).toBe(first);
  expect(formatByGoLayout(early, layout)).toBe(second);
});

test('a fraction of a second in nanoseconds, and layouts by name', () => {
  expect(formatByGoLayout(time, '05.000000000 .999', 70_000_123)).toBe('09.070000123 .07');
  expect(formatByGoLayout(time, namedGoLayout('DateOnly'))).toBe('2026-03-05');
  expect(formatByGoLayout(time, namedGoLayout('StampNano'), 5)).toBe('Mar  5 15:04:09.000000005');
  expect(formatByGoLayout(time, namedGoLayout('Kitchen'))).toBe('3:04PM');
  expect(namedGoLayout('rfc3339')).toBe('rfc3339');
});

test('zones', () => {
  const minutes = -new Date(time).getTimezoneOffset();
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.trunc(size / 60))}:${two(size % 60)}`;
  expect(formatByGoLayout(time, '-07:00|-0700|Z07:00')).toBe(
    `${offset}|${offset.replace(':', '')}|${minutes === 0 ? 'Z' : offset}`,
  );
});
