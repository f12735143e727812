import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsMd5 } from '../../../../../src/backends/s3/objects/object-entry.ts';

const MIB = 1024 * 1024;
const DIGEST = '0123456789abcdef0123456789abcdef';

describe('the parts that an ETag tells of', () => {
  it.each([
    [5, 1024 * MIB],
    [5, 200 * MIB + 7],
    [8, 100 * MIB],
    [16, 1000 * MIB],
    [64, 1024 * MIB],
    [64, 100 * MIB],
    [100, 100 * MIB],
    [128, 1_000_000_000],
    [7, 10_000 * 7 * MIB],
  ])('are those of %d MiB, of which %d bytes were made', (mib, size) => {
    const count = Math.ceil(size / (mib * MIB));
    const partLength = count === 1 ? size : mib * MIB;
    expect(partsMd5(`${DIGEST.toUpperCase()}-${count}`, size)).toEqual({
      partLength,
      digest: DIGEST,
    });
  });

  it.each([
    ['an MD5', DIGEST, 100 * MIB],
    ['something else', 'abc-2', 100 * MIB],
    ['no parts', `${DIGEST}-0`, 100 * MIB],
    ['parts that may have many lengths', `${DIGEST}-3`, 59 * MIB],
    ['parts that are not whole MiB', `${DIGEST}-3`, MIB],
    ['an empty object', `${DIGEST}-1`, 0],
    ['an object of unknown size', `${DIGEST}-2`, -1],
    ['none', undefined, MIB],
  ])('are not known of %s', (_, etag, size) => {
    expect(partsMd5(etag, size)).toBeUndefined();
  });

  it('are as many as it says', () => {
    fc.assert(
      fc.property(fc.nat(2_000_000_000), fc.integer({ min: 1, max: 10_000 }), (size, count) => {
        const found = partsMd5(`${DIGEST}-${count}`, size);
        if (found !== undefined) expect(Math.ceil(size / found.partLength)).toBe(count);
      }),
    );
  });
});
