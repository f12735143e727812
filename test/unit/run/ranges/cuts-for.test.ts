import { expect, test } from 'vitest';
import { NEW_RANGE, type RangeRecord } from '../../../../src/run/ranges/ledger.ts';
import { cutsFor } from '../../../../src/run/ranges/work-range.ts';

const held = (more: Partial<RangeRecord> = {}): RangeRecord => ({
  ...NEW_RANGE,
  ...{ state: 'held', seen: 'a', reached: 'c', batches: 1, isListed: true },
  ...more,
});

const points = ['d', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
const slow = { isSlow: true, points } as const;

test('a slow range is not cut for slots of a worker that has a range', () => {
  expect(cutsFor([held(slow)], { slots: 7, workers: 0 })).toEqual([]);
  expect(cutsFor([held(slow)], { slots: 7, workers: 1 })).toMatchObject([{ point: 'h' }]);
});

test('workers without a range get equal parts of the range with most to do', () => {
  const pointFor = (workers: number) => cutsFor([held(slow)], { slots: 8, workers })[0]?.point;
  expect(pointFor(1)).toBe('h');
  expect(pointFor(2)).toBe('i');
  expect(pointFor(8)).toBe('k');
  const more = [held({ isSlow: true, batches: 9, last: 'c' }), held({ ...slow, after: 'c' })];
  const cuts = cutsFor(more, { slots: 8, workers: 1 });
  expect(cuts.map(({ range: { after } }) => after)).toEqual(['c']);
});

test('a slow range is cut at a listed name first, and then about in the middle of what follows', () => {
  const pointOf = (cuts: number) =>
    cutsFor([held({ ...slow, isListed: false, cuts })], { slots: 4, workers: 1 })[0]?.point;
  expect(pointOf(0)).toBe('h');
  const guessed = pointOf(1) ?? '';
  expect(points).not.toContain(guessed);
  expect(guessed > 'k').toBe(true);
  expect(pointOf(4)).toBe('h');
});

test('a range that lists is cut for any idle slot, once it is long', () => {
  const lists = held({ isListed: false, batches: 6 });
  expect(cutsFor([lists], { slots: 1, workers: 0 })).toHaveLength(1);
  expect(cutsFor([lists], { slots: 0, workers: 0 })).toEqual([]);
  expect(cutsFor([held({ isListed: false, batches: 5 })], { slots: 1, workers: 0 })).toEqual([]);
});

test('a range of few names that is listed to its end is left alone', () => {
  expect(cutsFor([held({ isSlow: true })], { slots: 4, workers: 1 })).toEqual([]);
  expect(cutsFor([held({ batches: 9 })], { slots: 4, workers: 1 })).toEqual([]);
});
