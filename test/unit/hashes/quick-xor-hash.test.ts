import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { QuickXorHash } from '../../../src/hashes/content-hasher.ts';

const sample = (length: number) =>
  Buffer.from(Array.from({ length }, (_, i) => (i * 7 + 13 * (i >> 8) + (i % 251)) & 255));

/** The definition to the letter: each byte XORed in 11 bits further round 160, then the length. */
function byDefinition(bytes: Uint8Array): string {
  const ring = 2n ** 160n - 1n;
  let hash = 0n;
  bytes.forEach((byte, index) => {
    const spread = BigInt(byte) << BigInt((index * 11) % 160);
    hash ^= (spread & ring) | (spread >> 160n);
  });
  hash ^= BigInt(bytes.length) << 96n;
  return Buffer.from(hash.toString(16).padStart(40, '0'), 'hex').reverse().toString('hex');
}

describe('QuickXorHash', () => {
  test.each([
    ['Sg==', 'SgAAAAAAAAAAAAAAAQAAAAAAAAA='],
    ['0pZP', '0rDEEwAAAAAAAAAAAwAAAAAAAAA='],
    ['T6LYJIfDh81JrAK309H2JMJTXis=', 'zBTHrspn3mEcohlJdIUAbjGNaNg='],
    ['NbYXsp5/K6mR+NmHwExjvWeWDJFnXTKWVlzYHoesp2E=', 'wjuAuWDiq04qDt1R8hHWDDcwVoQ='],
  ])('published: %s', (content, hash) => {
    const digest = new QuickXorHash().update(Buffer.from(content, 'base64')).digest();
    expect(digest.toString('base64')).toBe(hash);
  });

  test.each([
    [0, '0000000000000000000000000000000000000000'],
    [19, '014f804434240214c0000740530214b0000634c0'],
    [159, 'e88b1774e88b1774e88b1774778b1774e88b176b'],
    [160, 'e88b1774e88b1774e88b1774488b1774e88b1774'],
    [161, 'e88b1774e88b1774e88b1774498b1774e88b1774'],
    [1000, '6869871cceecca9da60263b99d4be4a776b72d03'],
    [100001, '01114e251730fd72b6d686fb5f2996df8795f099'],
  ])('as rclone has it: %d bytes', (length, hash) =>
    expect(new QuickXorHash().update(sample(length)).digest().toString('hex')).toBe(hash),
  );

  test('is what the definition says, however the content is cut', () => {
    const chunks = fc.array(fc.uint8Array({ maxLength: 700 }), { maxLength: 6 });
    fc.assert(
      fc.property(chunks, fc.integer({ min: 0, max: 3 }), (parts, offset) => {
        const hash = new QuickXorHash();
        for (const part of parts) {
          const shifted = Buffer.alloc(part.length + offset);
          shifted.set(part, offset);
          hash.update(shifted.subarray(offset));
        }
        return hash.digest().toString('hex') === byDefinition(Buffer.concat(parts));
      }),
    );
  });
});
