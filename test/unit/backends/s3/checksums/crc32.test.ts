import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  compositeCrc32,
  encodeCrc32,
  fitsParts,
  wholeHeaders,
} from '../../../../../src/backends/s3/checksums.ts';

describe('CRC-32', () => {
  it('is written as S3 writes it', () => {
    // The check value of CRC-32: that of "123456789" is cbf43926.
    expect(encodeCrc32(crc32('123456789'))).toBe(Buffer.from('cbf43926', 'hex').toString('base64'));
    expect(encodeCrc32(0)).toBe('AAAAAA==');
  });

  it('of many large pieces gives that of all', () => {
    const whole = Buffer.alloc(11 * 1024 ** 2 + 7, 'many pieces ');
    const size = 5 * 1024 ** 2;
    const parts = [0, size, 2 * size].map((from) => whole.subarray(from, from + size));
    const sums = parts.map((part) => ({ crc32: crc32(part), size: part.length }));
    expect(wholeHeaders(sums)).toEqual({
      'x-amz-checksum-crc32': encodeCrc32(crc32(whole)),
      'x-amz-checksum-type': 'FULL_OBJECT',
      'x-amz-mp-object-size': String(whole.length),
    });
    const composite = encodeCrc32(compositeCrc32(sums.map((sum) => sum.crc32)));
    expect(fitsParts(`${composite}-3`, sums, undefined)).toBe(true);
    expect(fitsParts(encodeCrc32(crc32(whole)), sums, undefined)).toBe(true);
    expect(fitsParts(`${composite}-2`, sums, undefined)).toBe(false);
    expect(fitsParts(encodeCrc32(1), sums, undefined)).toBe(false);
    for (const [type, ofParts, ofAll] of [
      ['COMPOSITE', true, false],
      ['FULL_OBJECT', false, true],
    ] as const) {
      expect(fitsParts(`${composite}-3`, sums, type)).toBe(ofParts);
      expect(fitsParts(composite, sums, type)).toBe(ofParts);
      expect(fitsParts(encodeCrc32(crc32(whole)), sums, type)).toBe(ofAll);
    }
  });
});
