import { expect, test } from 'vitest';
import { splitPoints } from '../../../../../src/backends/s3/listing/split-points.ts';

test('points lie between what was listed and the end, in order, none twice', () => {
  for (const end of [undefined, 'dir/k1', 'dir/k09', 'dir/k0007', 'ß']) {
    for (const count of [1, 2, 8, 20]) {
      const range = { prefix: 'dir/', first: 'dir/k0001', last: 'dir/k0006', ...(end && { end }) };
      const points = splitPoints(range, count);
      expect(points.length).toBeLessThanOrEqual(count);
      expect(points).toEqual([...new Set(points)].sort());
      for (const point of points) {
        expect(point > range.last && (end === undefined || point < end), point).toBe(true);
      }
    }
  }
});

test('both the end of what keys have in common and what comes next are tried', () => {
  const points = splitPoints({ prefix: 'dir/', first: 'dir/k0001', last: 'dir/k0006' }, 8);
  expect(points).toContain('dir/l');
  expect(points).toContain('dir/k5');
  expect(points).toContain('dir/k0007');
});

test('a key that ends with what it has in common can be followed by anything', () => {
  expect(splitPoints({ prefix: '', first: 'a', last: 'a', end: 'a~' }, 8)).toContain('a ');
});

test('characters beyond ASCII are not taken apart', () => {
  const points = splitPoints({ prefix: '', first: 'a😀1', last: 'a😀5' }, 8);
  expect(points.length).toBeGreaterThan(0);
  for (const point of points) expect(point.isWellFormed(), point).toBe(true);
});
