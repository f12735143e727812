import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { afterMs, timerMs } from '../../../src/core/context.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DAY = 24 * 3_600_000;

test.each([0, 1000, 24 * DAY, 30 * DAY, 365 * DAY])('a task is called after %i ms', (ms) => {
  const task = vi.fn();
  afterMs(ms, task);
  vi.advanceTimersByTime(Math.max(0, ms - 1));
  expect(task).toHaveBeenCalledTimes(ms === 0 ? 1 : 0);
  vi.advanceTimersByTime(1);
  expect(task).toHaveBeenCalledTimes(1);
});

test('a task that was ended is not called, also in its second month', () => {
  const task = vi.fn();
  const end = afterMs(60 * DAY, task);
  vi.advanceTimersByTime(40 * DAY);
  end();
  vi.advanceTimersByTime(40 * DAY);
  expect(task).not.toHaveBeenCalled();
});

test('a timer takes at most what Node can', () => {
  expect([timerMs(5), timerMs(2 ** 31), timerMs(Number.POSITIVE_INFINITY)]).toEqual([
    5,
    2 ** 31 - 1,
    2 ** 31 - 1,
  ]);
});
