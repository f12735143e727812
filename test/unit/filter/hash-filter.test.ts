import { describe, expect, test } from 'vitest';
import { hashFilter } from '../../../src/filter/hash-filter.ts';

describe('--hash-filter', () => {
  // The parts of 97 in which rclone 1.75.2 lists these names.
  test.each([
    ['İx', 4],
    ['UPPER.TXT', 24],
    ['e\u0301', 28],
    ['ǅ', 53],
    ['a.txt', 76],
    ['d/e', 77],
    ['ΑΣ', 93],
  ])('%s is in part %i', (path, part) => {
    const parts = [...Array(97).keys()].filter((k) => hashFilter(`${k}/97`)(path));
    expect(parts).toEqual([part]);
    expect(hashFilter(`${part + 97}/97`)(path)).toBe(true);
  });

  test('@/1 is all', () => {
    expect(hashFilter('@/1')('a')).toBe(true);
  });

  test.each(['x', '1/', '1/a', '/4', '-1/4', '1/0', '1/4/2', '1/18446744073709551616'])(
    '%s is refused',
    (text) => expect(() => hashFilter(text)).toThrow(/\/|N|K/),
  );
});
