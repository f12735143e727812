import { expect, test } from 'vitest';
import { type CatFlags, catPart, catRange } from '../../../src/listing/cat-range.ts';

const rangeOf = (flags: CatFlags, size = 10) => catRange(catPart(flags), size);

test('the whole file without flags, and where they say nothing', () => {
  expect(rangeOf({})).toBeUndefined();
  expect(rangeOf({ head: 0 })).toBeUndefined();
  expect(rangeOf({ head: -1, tail: -2 })).toBeUndefined();
  expect(rangeOf({ count: -5 })).toBeUndefined();
});

test('head, tail, offset and count', () => {
  expect(rangeOf({ head: 3 })).toEqual({ offset: 0, length: 3 });
  expect(rangeOf({ tail: 3 })).toEqual({ offset: 7 });
  expect(rangeOf({ tail: 30 })).toBeUndefined();
  expect(rangeOf({ offset: 2, count: 3 })).toEqual({ offset: 2, length: 3 });
  expect(rangeOf({ offset: -3 })).toEqual({ offset: 7 });
  expect(rangeOf({ offset: -30, count: 2 })).toEqual({ offset: 0, length: 2 });
  expect(rangeOf({ offset: 30 }, -1)).toEqual({ offset: 30 });
  expect(rangeOf({ count: 5 })).toEqual({ offset: 0, length: 5 });
});

test('nothing is read behind the end of a file, nor for a count of 0; an empty file is opened', () => {
  expect(rangeOf({ offset: 10 })).toBe('nothing');
  expect(rangeOf({ offset: 30, count: 2 })).toBe('nothing');
  expect(rangeOf({ count: 0 })).toBe('nothing');
  expect(rangeOf({ head: 3 }, 0)).toBeUndefined();
  expect(rangeOf({ offset: 3 }, 0)).toBeUndefined();
});

test('contradictions', () => {
  for (const flags of [
    { head: 1, tail: 1 },
    { head: 1, offset: 1 },
    { tail: 1, count: 0 },
  ]) {
    expect(() => catPart(flags)).toThrow(
      'use only one of --head, --tail, and --offset with --count',
    );
  }
});
