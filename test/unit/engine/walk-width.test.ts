import { expect, test } from 'vitest';
import { WalkWidth } from '../../../src/engine/walk-width.ts';

const waiting = () => ({ active: 0, idle: 0 });

test('begins with a few and grows while what is found is taken', () => {
  const width = new WalkWidth(6, () => false, 1, waiting);
  const seen = [width.now];
  for (let i = 0; i < 4; i++) {
    width.ended();
    seen.push(width.now);
  }
  expect(seen).toEqual([4, 5, 6, 6, 6]);
});

test('falls back to a few while it is not', () => {
  let isFull = false;
  const width = new WalkWidth(8, () => isFull, 1, waiting);
  for (let i = 0; i < 9; i++) width.ended();
  isFull = true;
  width.ended();
  expect(width.now).toBe(4);
  isFull = false;
  width.ended();
  expect(width.now).toBe(5);
});

test('falls to the least while the program is busy all the time, and grows while it waits', () => {
  for (const least of [1, 2] as const) {
    const { after } = busyWalk(least);
    expect(after(10, 0)).toBe(3);
    // One step for each look, however many directories end.
    expect(after(10, 0, 5)).toBe(2);
    expect([after(10, 0), after(10, 0)]).toEqual([least, least]);
    expect(after(8, 2)).toBe(least);
    expect(after(5, 5, 3)).toBe(least + 3);
    expect(after(0, 20, 9)).toBe(8);
  }
});

function busyWalk(least: 1 | 2) {
  let [active, idle] = [0, 0];
  const loop = () => ({ active, idle });
  const width = new WalkWidth(8, () => false, least, loop);
  const after = (busyMs: number, idleMs: number, directories = 1) => {
    active += busyMs;
    idle += idleMs;
    for (let i = 0; i < directories; i++) width.ended();
    return width.now;
  };
  return { after };
}

test('narrows also while enough is waiting', () => {
  let active = 0;
  const width = new WalkWidth(
    8,
    () => true,
    1,
    () => ({ active, idle: 0 }),
  );
  active = 10;
  width.ended();
  expect(width.now).toBe(3);
});

test('is never more than it may be, and all of that where nobody tells', () => {
  expect(new WalkWidth(2, () => true, 1, waiting).now).toBe(2);
  let active = 0;
  const one = new WalkWidth(
    1,
    () => false,
    2,
    () => ({ active, idle: 0 }),
  );
  active = 10;
  one.ended();
  expect(one.now).toBe(1);
  expect(new WalkWidth(9, undefined, 1, waiting).now).toBe(9);
});
