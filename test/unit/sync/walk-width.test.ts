import { expect, test } from 'vitest';
import { walkWidth } from '../../../src/sync/adaptive-width.ts';

const waiting = () => ({ active: 0, idle: 0 });

test('begins with a few and grows while what is found is taken', () => {
  const width = walkWidth(6, () => false, waiting);
  const seen = [width.now];
  for (let i = 0; i < 4; i++) {
    width.ended();
    seen.push(width.now);
  }
  expect(seen).toEqual([4, 5, 6, 6, 6]);
});

test('falls back to a few while it is not', () => {
  let isFull = false;
  const width = walkWidth(8, () => isFull, waiting);
  for (let i = 0; i < 9; i++) width.ended();
  isFull = true;
  width.ended();
  expect(width.now).toBe(4);
  isFull = false;
  width.ended();
  expect(width.now).toBe(5);
});

test('falls to one while the program is busy all the time, and grows while it waits', () => {
  let [active, idle] = [0, 0];
  const width = walkWidth(
    8,
    () => false,
    () => ({ active, idle }),
  );
  const after = (busyMs: number, idleMs: number, directories = 1) => {
    active += busyMs;
    idle += idleMs;
    for (let i = 0; i < directories; i++) width.ended();
    return width.now;
  };
  expect(after(10, 0)).toBe(3);
  // One step for each look, however many directories end.
  expect(after(10, 0, 5)).toBe(2);
  expect([after(10, 0), after(10, 0)]).toEqual([1, 1]);
  expect(after(8, 2)).toBe(1);
  expect(after(5, 5, 3)).toBe(4);
  expect(after(0, 20, 9)).toBe(8);
});

test('narrows also while enough is waiting', () => {
  let active = 0;
  const width = walkWidth(
    8,
    () => true,
    () => ({ active, idle: 0 }),
  );
  active = 10;
  width.ended();
  expect(width.now).toBe(3);
});

test('is never more than it may be, and all of that where nobody tells', () => {
  expect(walkWidth(2, () => true, waiting).now).toBe(2);
  expect(walkWidth(9, undefined, waiting).now).toBe(9);
});
