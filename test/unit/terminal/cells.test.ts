import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  cellWidth,
  columnWidths,
  cut,
  cutLeft,
  cutMiddle,
  fill,
  fillLeft,
  inColumns,
  wrap,
} from '../../../src/terminal/cells.ts';

describe('the width of texts on a terminal', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['é', 1],
    ['👩‍👩‍👧', 2],
    ['', 0],
  ])('%s takes %i columns', (text, width) => expect(cellWidth(text)).toBe(width));

  test('a wide character is never cut in half', () => {
    expect(cut('日本語', 4)).toBe('日…');
    expect(fill('日本語', 4)).toBe('日… ');
    expect(cutLeft('日本語', 4)).toBe('…語');
    expect(cutMiddle('abcdefghij', 5)).toBe('ab…ij');
    expect(fillLeft('7', 3)).toBe('  7');
  });

  test('every way of cutting keeps to the width', () => {
    const cutters = [cut, cutMiddle, cutLeft, fill];
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, width) => {
        for (const shorten of cutters)
          expect(cellWidth(shorten(text, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

test('wrap breaks at blanks, and in words that are too long', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('abcdefgh ij', 3)).toEqual(['abc', 'def', 'gh', 'ij']);
  expect(wrap('a\n\nb', 5)).toEqual(['a', '', 'b']);
  // A question in a window of one column.
  for (const width of [0, -1]) expect(wrap('ab c', width)).toEqual(['a', 'b', 'c']);
});

describe('a table', () => {
  const rows = [
    ['a', 'copy /home/me/Pictures shelf:photos', 'ok'],
    ['b', 'check', '3 errors'],
    ['a name that is long', '', ''],
  ].map((cells) => cells.map((text) => [{ text }]));
  const drawn = (room: number) => {
    const widths = columnWidths(rows.slice(0, 2), room);
    return rows.map((row) =>
      inColumns(row, widths, '…')
        .map(({ text }) => text)
        .join(''),
    );
  };

  test('gives what is left of the room to what would be cut, and cuts in the middle', () => {
    expect(drawn(60)).toEqual([
      'a  copy /home/me/Pictures shelf:photos  ok',
      `b  ${'check'.padEnd(35)}  3 errors`,
      'a name that is long',
    ]);
    expect(drawn(40)).toEqual([
      'a  copy /home/me… shelf:photos  ok',
      `b  ${'check'.padEnd(27)}  3 errors`,
      'a name that is long',
    ]);
  });
});
