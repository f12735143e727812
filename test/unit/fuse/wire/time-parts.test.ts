import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timeFromParts, timeParts } from '../../../../src/fuse/wire/attributes.ts';

test.each([
  [0n, 0, 0],
  [1_500_000_000_123_456_789n, 1_500_000_000, 123_456_789],
  [999_999_999n, 0, 999_999_999],
  [1_000_000_000n, 1, 0],
  [-1n, -1, 999_999_999],
  [-1_000_000_000_000n, -1000, 0],
  [4_294_967_296_999_999_999n, 4_294_967_296, 999_999_999],
])('%s ns', (time, seconds, nanos) => {
  expect(timeParts(time)).toEqual({ seconds, nanos });
});

test('every time a file can have is split exactly', () => {
  const limit = 2n ** 62n;
  fc.assert(
    fc.property(fc.bigInt({ min: -limit, max: limit }), (time) => {
      const { seconds, nanos } = timeParts(time);
      expect(nanos).toBeGreaterThanOrEqual(0);
      expect(nanos).toBeLessThan(1e9);
      expect(timeFromParts(BigInt(seconds), nanos)).toBe(time);
    }),
  );
});
