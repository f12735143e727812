import { expect, test } from 'vitest';
import { alignedRows } from '../../../src/core/shown-text.ts';

const ROWS = [
  ['a', 'done', 'copy x y'],
  ['name', '', 'copy a-long-name b'],
];

test('columns are as wide as their widest cell', () => {
  const lines = ['a     done  copy x y', 'name        copy a-long-name b'];
  expect(alignedRows(ROWS)).toEqual(lines);
  expect(alignedRows(ROWS, 30)).toEqual(lines);
});

test('where a row does not fit, all are broken between cells, and long cells between words', () => {
  expect(alignedRows(ROWS, 29)).toEqual(['a  done  copy x y', 'name  copy a-long-name b']);
  expect(alignedRows(ROWS, 12)).toEqual([
    ...['a  done', '    copy x y'],
    ...['name', '    copy', '    a-long-name', '    b'],
  ]);
});

test('columns of numbers end below each other', () => {
  const rows = [
    ['bytes', 'n', 'path'],
    ['7', '100', 'a b'],
  ];
  expect(alignedRows(rows, undefined, 2)).toEqual(['bytes    n  path', '    7  100  a b']);
});
