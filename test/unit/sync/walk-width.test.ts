import { expect, test } from 'vitest';
import { walkWidth } from '../../../src/sync/adaptive-width.ts';

test('begins with a few and grows while what is found is taken', () => {
  const width = walkWidth(6, () => false);
  const seen = [width.now];
  for (let i = 0; i < 4; i++) {
    width.ended();
    seen.push(width.now);
  }
  expect(seen).toEqual([4, 5, 6, 6, 6]);
});

test('falls back to a few while it is not', () => {
  let isFull = false;
  const width = walkWidth(8, () => isFull);
  for (let i = 0; i < 9; i++) width.ended();
  isFull = true;
  width.ended();
  expect(width.now).toBe(4);
  isFull = false;
  width.ended();
  expect(width.now).toBe(5);
});

test('is never more than it may be, and all of that where nobody tells', () => {
  expect(walkWidth(2, () => true).now).toBe(2);
  expect(walkWidth(9, undefined).now).toBe(9);
});
