import { expect, test } from 'vitest';
import { NO_LOAD, wantedThreads } from '../../../../src/hooks/threads/wanted-threads.ts';

/** How many threads there are after each tick of 100 ms with these utilizations. */
function threadsOver(ticks: readonly number[], most: number, begin = 1): number[] {
  let load = NO_LOAD;
  let count = begin;
  return ticks.map((utilization) => {
    const all = Array.from({ length: count }, () => utilization);
    const found = wantedThreads(load, all, 100, most);
    load = found.load;
    count = found.wanted;
    return count;
  });
}

test('they double while all are full, up to the limit', () => {
  expect(threadsOver([1, 1, 1, 1, 1, 1, 1, 1], 6)).toEqual([1, 2, 2, 4, 4, 6, 6, 6]);
});

test('a moment that is full starts none', () => {
  expect(threadsOver([1, 0.3, 1, 0.3, 1, 0.89, 1], 8)).toEqual([1, 1, 1, 1, 1, 1, 1]);
});

test('one thread that has time is enough for no more', () => {
  expect(wantedThreads({ fullMs: 150, quietMs: 0 }, [1, 0.5], 100, 8).wanted).toBe(2);
});

test('they end when one was enough for half a minute, and not before', () => {
  const quiet = Array.from({ length: 299 }, () => 0.1);
  expect(threadsOver(quiet, 4, 4).at(-1)).toBe(4);
  expect(threadsOver([...quiet, 0.1], 4, 4).at(-1)).toBe(1);
  expect(threadsOver([...quiet, 0.5, ...quiet], 4, 4).at(-1)).toBe(4);
});
