import { expect, test } from 'vitest';
import { RunQueues } from '../../../../src/webhook/run/run-queues.ts';

const rate = { count: 3, perMs: 1000 };

/** Takes runs at these times. Gives how long each has to wait. */
function takeAt(times: readonly number[]): number[] {
  const queues = new RunQueues(0);
  return times.map((ms) => Math.round(queues.takeRate('a', rate, ms)));
}

test('the whole rate is there at the start, and then fills evenly', () => {
  expect(takeAt([0, 0, 0, 0, 333, 334, 600, 667])).toEqual([0, 0, 0, 333, 1, 0, 67, 0]);
});

test('a long rest fills it, and not more than that', () => {
  expect(takeAt([0, 0, 0, 1e9, 1e9, 1e9, 1e9])).toEqual([0, 0, 0, 0, 0, 0, 333]);
});

test('a clock that goes back gives nothing', () => {
  expect(takeAt([1000, 1000, 1000, 0, 1])).toEqual([0, 0, 0, 333, 332]);
});
