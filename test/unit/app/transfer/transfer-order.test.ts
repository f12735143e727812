import { expect, test } from 'vitest';
import { transferOrder } from '../../../../src/app/transfer/sync-options.ts';

test.each([
  ['size', { by: 'size', descending: false }],
  ['Size,DESC', { by: 'size', descending: true }],
  ['size,desc', { by: 'size', descending: true }],
  ['name,ascending', { by: 'name', descending: false }],
  ['modtime, descending', { by: 'modtime', descending: true }],
  ['size,mixed', { by: 'size', descending: false, mixedPercent: 50 }],
  ['size,mixed,25', { by: 'size', descending: false, mixedPercent: 25 }],
  ['', undefined],
  [undefined, undefined],
])('%s', (text, expected) => {
  expect(transferOrder(text)).toEqual(expected);
});

test.each(['colour', 'size,up', 'size,asc,more', 'size,mixed,x', 'size,mixed,1,2', ',asc'])(
  '%s is refused',
  (text) => {
    expect(() => transferOrder(text)).toThrow('bad --order-by');
  },
);
