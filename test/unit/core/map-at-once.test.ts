import { expect, test } from 'vitest';
import { mapAtOnce } from '../../../src/core/map-at-once.ts';

test('results are in the order of the items, and no more than the width run', async () => {
  let running = 0;
  let most = 0;
  const doubled = await mapAtOnce([3, 1, 2, 5, 4], 2, async (item) => {
    most = Math.max(most, ++running);
    for (let turns = 0; turns < item; turns++) await Promise.resolve();
    running--;
    return item * 2;
  });
  expect(doubled).toEqual([6, 2, 4, 10, 8]);
  expect(most).toBe(2);
  expect(await mapAtOnce([], 4, String)).toEqual([]);
});

test.each([new Error('no'), undefined])('after a failure nothing begins: %s', async (thrown) => {
  const begun: number[] = [];
  let isDone = false;
  const mapped = mapAtOnce([0, 1, 2, 3], 2, async (item) => {
    begun.push(item);
    if (item === 1) throw thrown;
    for (let turns = 0; turns < 10; turns++) await Promise.resolve();
    isDone = true;
  });
  await expect(mapped.catch((caught) => [caught])).resolves.toEqual([thrown]);
  expect(begun).toEqual([0, 1]);
  expect(isDone).toBe(true);
});
