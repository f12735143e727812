import { describe, expect, test } from 'vitest';
import { contentRange } from '../../../../../src/serve/conditions.ts';
import {
  byteRange,
  partCount,
  partRange,
} from '../../../../../src/serve/s3/operations/get-object.ts';

test.each([
  ['bytes=0-3', { offset: 0, length: 4 }],
  ['bytes=2-', { offset: 2, length: 8 }],
  ['bytes=9-9', { offset: 9, length: 1 }],
  ['bytes=8-100', { offset: 8, length: 2 }],
  ['bytes=-3', { offset: 7, length: 3 }],
  ['bytes=-30', { offset: 0, length: 10 }],
  ['bytes=5-9223372036854775807', { offset: 5, length: 5 }],
  [`bytes=5-${'9'.repeat(40)}`, { offset: 5, length: 5 }],
  ['bytes=-9223372036854775807', { offset: 0, length: 10 }],
  ['Bytes= 2-3', { offset: 2, length: 2 }],
  ['bytes=5-4', undefined],
  ['bytes=-', undefined],
  ['bytes=0-1,3-4', undefined],
  ['lines=0-1', undefined],
  [undefined, undefined],
])('%s of ten bytes', (text, range) => {
  expect(byteRange(text, 10)).toEqual(range);
});

test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=9223372036854775807-'])(
  '%s of ten bytes is not there',
  (text) => {
    expect(() => byteRange(text, 10)).toThrow(
      expect.objectContaining({ status: 416, headers: { 'content-range': 'bytes */10' } }),
    );
  },
);

test('nothing of an empty object is there', () => {
  expect(() => byteRange('bytes=0-', 0)).toThrow(expect.objectContaining({ status: 416 }));
});

test('as a header', () => {
  expect(contentRange({ offset: 2, length: 4 }, 10)).toBe('bytes 2-5/10');
});

describe('parts', () => {
  const parts = [
    [3, 5],
    [1, 2],
  ] as const;

  test('are found by number', () => {
    expect(partCount(parts)).toBe(4);
    expect(partRange(parts, 1, 17)).toEqual({ offset: 0, length: 5 });
    expect(partRange(parts, 3, 17)).toEqual({ offset: 10, length: 5 });
    expect(partRange(parts, 4, 17)).toEqual({ offset: 15, length: 2 });
    expect(partRange(undefined, 1, 17)).toEqual({ offset: 0, length: 17 });
  });

  test.each([0, 5, 1.5, Number.NaN])('there is no part %d', (number) => {
    expect(() => partRange(parts, number, 17)).toThrow(expect.objectContaining({ status: 416 }));
  });
});
