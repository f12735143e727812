import { expect, test } from 'vitest';
import { fromBothEnds, transferOrder } from '../../../src/engine/passes/order.ts';

const items = [1, 2, 3, 4, 5, 6, 7, 8];

test.each([
  [50, 4, [1, 2, 8, 7, 3, 4, 6, 5]],
  [25, 4, [1, 8, 7, 6, 2, 5, 4, 3]],
  [100, 4, items],
  [0, 4, items.toReversed()],
  [50, 1, items],
])('%i %% from the front with %i transfers', (percent, transfers, expected) => {
  expect(fromBothEnds(items, percent, transfers)).toEqual(expected);
});

test('every item is taken once', () => {
  for (let percent = 0; percent <= 100; percent += 7) {
    for (let transfers = 1; transfers < 9; transfers++) {
      expect(fromBothEnds(items, percent, transfers).toSorted()).toEqual(items);
    }
  }
});

test.each([
  ['size', { by: 'size', descending: false }],
  ['Size,DESC', { by: 'size', descending: true }],
  ['size,desc', { by: 'size', descending: true }],
  ['name,ascending', { by: 'name', descending: false }],
  ['modtime, descending', { by: 'modtime', descending: true }],
  ['size,mixed', { by: 'size', descending: false, mixedPercent: 50 }],
  ['size,mixed,25', { by: 'size', descending: false, mixedPercent: 25 }],
])('%s', (text, expected) => {
  expect(transferOrder(text)).toEqual(expected);
});

test.each(['colour', 'size,up', 'size,asc,more', 'size,mixed,x', 'size,mixed,1,2', ',asc'])(
  '%s is refused',
  (text) => {
    expect(() => transferOrder(text)).toThrow('bad --order-by');
  },
);
