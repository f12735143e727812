import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bar, block, spark } from '../../../src/terminal/bar.ts';
import { lineWidth } from '../../../src/terminal/cells.ts';
import { ASCII_GLYPHS, UNICODE_GLYPHS } from '../../../src/terminal/look.ts';
import { span } from '../../../src/terminal/span.ts';

test.each([
  [0, '', '▁▁▁▁'],
  [0.5, '██', '▁▁'],
  [0.6, '██▍', '▁'],
  [1, '████', ''],
  [7, '████', ''],
  [-1, '', '▁▁▁▁'],
  [Number.NaN, '', '▁▁▁▁'],
])('a bar of %d has a track; of sizes beside each other it has none', (share, full, track) => {
  expect(bar(share, 4, UNICODE_GLYPHS)).toEqual([span(full, 'bar'), span(track, 'track')]);
  const blank = span(' '.repeat(track.length), 'track');
  expect(block(share, 4, UNICODE_GLYPHS)).toEqual([span(full, 'bar'), blank]);
});

test('a bar is as wide as it shall be', () => {
  const share = fc.double({ min: -1, max: 2 });
  fc.assert(
    fc.property(
      share,
      fc.nat(80),
      fc.constantFrom(ASCII_GLYPHS, UNICODE_GLYPHS),
      (at, width, glyphs) => {
        expect(lineWidth(bar(at, width, glyphs))).toBe(width);
      },
    ),
  );
});

test('a history shows its last figures by the highest of them', () => {
  expect(spark([9, 0, 50, 100], 3, UNICODE_GLYPHS)).toBe('▁▅█');
  expect(spark([0, 0], 5, UNICODE_GLYPHS)).toBe('▁▁');
  expect(spark([], 5, ASCII_GLYPHS)).toBe('');
  expect(spark([1, 2], 0, ASCII_GLYPHS)).toBe('');
});
