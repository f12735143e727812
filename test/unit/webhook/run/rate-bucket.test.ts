import { expect, test } from 'vitest';
import { type RateBucket, takeFrom } from '../../../../src/webhook/run/rate-bucket.ts';

const rate = { count: 3, perMs: 1000 };

/** Takes at these times; which were allowed. */
function takeAt(times: readonly number[]): boolean[] {
  let bucket: RateBucket | undefined;
  return times.map((ms) => {
    const taken = takeFrom(bucket, rate, ms);
    bucket = taken.bucket;
    return taken.allowed;
  });
}

test('as many as the rate says go at once, and then one at a time', () => {
  expect(takeAt([0, 0, 0, 0, 333, 334, 600, 667])).toEqual([
    ...[true, true, true, false, false, true, false, true],
  ]);
});

test('a long rest fills it, and not more than that', () => {
  expect(takeAt([0, 0, 0, 1e9, 1e9, 1e9, 1e9])).toEqual([
    ...[true, true, true, true, true, true, false],
  ]);
});

test('a clock that goes back gives nothing', () => {
  expect(takeAt([1000, 1000, 1000, 0, 1])).toEqual([true, true, true, false, false]);
});

test('it says when the next one is allowed', () => {
  const empty = { left: 0.25, atMs: 0 };
  expect(takeFrom(empty, rate, 0)).toMatchObject({ allowed: false, retryMs: 250 });
  expect(takeFrom(empty, rate, 250)).toMatchObject({ allowed: true, retryMs: 0 });
});
