import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combineCrc32, crc32Text } from '../../../src/hashes/crc32.ts';

describe('CRC-32', () => {
  it('is written with all its digits', () => {
    expect(crc32Text(crc32('123456789'))).toBe('cbf43926');
    expect(crc32Text(0xff)).toBe('000000ff');
    expect(crc32Text(-1)).toBe('ffffffff');
  });

  it('of two pieces gives that of both together', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 3000 }),
        fc.uint8Array({ maxLength: 3000 }),
        (a, b) => {
          const together = crc32(Buffer.concat([a, b]));
          expect(combineCrc32(crc32(a), crc32(b), b.length)).toBe(together);
        },
      ),
    );
  });
});
