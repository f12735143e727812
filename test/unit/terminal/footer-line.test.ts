import { expect, test } from 'vitest';
import { footerLine } from '../../../src/terminal/footer-line.ts';
import { row } from '../../../src/terminal/key-table.ts';
import { UNICODE_GLYPHS } from '../../../src/terminal/look.ts';

const TABLE = [
  row('a', 'apply', '', () => {}),
  row('1 2', 'keep one', '', () => {}),
  row('?', 'keys', '', () => {}),
  row('q', 'quit', '', () => {}),
];

test.each([
  [80, 'a apply · 1 2 keep one · ? keys · q quit'],
  [39, 'a apply · ? keys · q quit'],
  [20, '? keys · q quit'],
  [10, '? keys'],
])(
  'at %i columns the list of all keys stays, then the way out, then the first key',
  (columns, shown) => {
    const line = footerLine(TABLE, columns, UNICODE_GLYPHS);
    expect(line.map(({ text }) => text).join('')).toBe(shown);
  },
);

test.each([
  [80, 'y yes · p plan first · n cancel'],
  [30, 'y yes · n cancel'],
  [15, 'n cancel'],
])('at %i columns No stays longer than what else can be done', (columns, shown) => {
  const table = [
    row('y', 'yes', '', () => {}, { confirms: true }),
    row('p', 'plan first', '', () => {}),
    row('n', 'cancel', '', () => {}),
  ];
  const line = footerLine(table, columns, UNICODE_GLYPHS);
  expect(line.map(({ text }) => text).join('')).toBe(shown);
});
