import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  SettledEnd,
  settledSecondsLeft,
  settleEnd,
} from '../../../../src/shell/progress/view-state.ts';

function after(guesses: readonly (number | undefined)[]) {
  const end = new SettledEnd();
  guesses.forEach((guess, at) => {
    settleEnd(end, guess, at * 1000);
  });
  return settledSecondsLeft(end, (guesses.length - 1) * 1000);
}

test('the first guesses are not shown', () => {
  expect(after([100])).toBeUndefined();
  expect(after([100, 50])).toBeUndefined();
  expect(after([100, 50, 40])).toBe(40);
});

test('guesses that swing are shown calmly', () => {
  const swinging = Array.from({ length: 30 }, (_, at) => 200 - at + (at % 2 === 0 ? 40 : -40));
  const shown: number[] = [];
  const end = new SettledEnd();
  swinging.forEach((guess, at) => {
    settleEnd(end, guess, at * 1000);
    const left = settledSecondsLeft(end, at * 1000);
    if (at > 10 && left !== undefined) shown.push(left + at);
  });
  expect(Math.max(...shown) - Math.min(...shown)).toBeLessThanOrEqual(20);
});

test('a new situation is taken up within seconds', () => {
  expect(after([10, 9, 8, 1000, 999, 998, 997, 996])).toBeGreaterThan(700);
});

test('what cannot be told for some seconds is no longer shown', () => {
  expect(after([50, 49, 48, undefined, undefined])).toBe(46);
  expect(after([50, 49, 48, ...Array<undefined>(5)])).toBeUndefined();
});

test('long times are coarse, and nothing is ever negative', () => {
  expect(after([3 * 3600 + 17, 3 * 3600 + 17, 3 * 3600 + 17])).toBe(3 * 3600);
  const guess = fc.option(fc.integer({ min: 0, max: 1e6 }), { nil: undefined });
  fc.assert(
    fc.property(fc.array(guess, { minLength: 1 }), (guesses) => {
      expect(after(guesses) ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});
