import { expect, test } from 'vitest';
import {
  applyEvent,
  currentRate,
  elapsedMs,
  holdClock,
  ProgressState,
  secondsLeft,
  tickRates,
} from '../../../../src/shell/progress/progress-state.ts';

const start = { type: 'transfer-start', id: 1, kind: 'copy', path: 'a', size: 9000 } as const;

test('before the first tick the speed is that since the start', () => {
  const state = new ProgressState(0);
  applyEvent(state, start);
  applyEvent(state, { type: 'transfer-bytes', id: 1, bytes: 500 });
  expect(currentRate(state, 250)).toBe(2000);
  expect(currentRate(state, 0)).toBe(0);
});

test('later it is an average in which the past fades', () => {
  const state = new ProgressState(0);
  applyEvent(state, start);
  const second = (bytes: number, nowMs: number) => {
    applyEvent(state, { type: 'transfer-bytes', id: 1, bytes });
    tickRates(state, nowMs);
    return currentRate(state, nowMs);
  };
  expect(second(1000, 1000)).toBe(1000);
  expect(second(3000, 2000)).toBe(2000);
  expect(second(5000, 3000)).toBe(3000);
  expect(state.active.get(1)?.rate).toBe(3000);
  for (let i = 4; i < 40; i++) second(100, i * 1000);
  expect(currentRate(state, 40_000)).toBeLessThan(1000);
  expect(currentRate(state, 40_000)).toBeGreaterThan(100);
});

test('bytes that are taken back do not make the speed negative', () => {
  const state = new ProgressState(0);
  applyEvent(state, start);
  applyEvent(state, { type: 'transfer-bytes', id: 1, bytes: 500 });
  tickRates(state, 1000);
  applyEvent(state, { type: 'transfer-restart', id: 1 });
  tickRates(state, 2000);
  expect(currentRate(state, 2000)).toBe(0);
});

test.each([
  [0, 100, 10, 10],
  [95, 100, 10, 0],
  [100, 100, 10, 0],
  [0, 0, 10, undefined],
  [0, 100, 0, undefined],
  [101, 100, 10, undefined],
  [0, -1, 10, undefined],
])('%i of %i at %i a second takes %j more', (done, total, rate, seconds) => {
  expect(secondsLeft(done, total, rate)).toBe(seconds);
});

test('seconds in which a file is only read for a hash count in no speed', () => {
  const state = new ProgressState(0);
  applyEvent(state, start);
  for (let second = 1; second <= 4; second++) {
    applyEvent(state, { type: 'transfer-hashed', id: 1, bytes: second * 2250 });
    tickRates(state, second * 1000);
  }
  applyEvent(state, { type: 'transfer-bytes', id: 1, bytes: 500 });
  expect(currentRate(state, 4500)).toBe(1000);
  tickRates(state, 5000);
  expect(currentRate(state, 5000)).toBe(500);
  expect(state.active.get(1)?.rate).toBe(500);
});

test('while the clock of a run is held nothing is learned, and no time passes', () => {
  const state = new ProgressState(0);
  let nowMs = 1000;
  const go = holdClock(state, { monotonic: () => nowMs });
  tickRates(state, 30_000);
  nowMs = 51_000;
  expect(elapsedMs(state, nowMs)).toBe(1000);
  go();
  go();
  expect(elapsedMs(state, 53_000)).toBe(3000);
  applyEvent(state, start);
  applyEvent(state, { type: 'transfer-bytes', id: 1, bytes: 6000 });
  tickRates(state, 53_000);
  expect(currentRate(state, 53_000)).toBe(2000);
});
