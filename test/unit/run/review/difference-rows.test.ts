import { expect, test } from 'vitest';
import { differenceRows } from '../../../../src/run/review/difference-rows.ts';

const shown = (left: string, right: string) =>
  differenceRows(left, right).map(
    ({ left, right, isEqual }) => `${left ?? ''}${isEqual ? '=' : '|'}${right ?? ''}`,
  );

test('lines that differ stand beside each other', () => {
  expect(shown('a\nb\nc', 'a\nB\nc')).toEqual(['a=a', 'b|B', 'c=c']);
  expect(shown('a', 'a\nb')).toEqual(['a=a', '|b']);
  expect(shown('a\nb', 'b')).toEqual(['a|', 'b=b']);
  expect(shown('same', 'same')).toEqual([]);
});

test('only a few equal lines are around them', () => {
  expect(shown('1\n2\n3\n4\n5\n6\n7', 'x\n2\n3\n4\n5\n6\ny')).toEqual([
    ...['1|x', '2=2', '3=3', '...=...', '5=5', '6=6', '7|y'],
  ]);
});
