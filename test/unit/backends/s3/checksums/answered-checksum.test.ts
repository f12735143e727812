import { expect, it } from 'vitest';
import { toldCrc32 } from '../../../../../src/backends/s3/checksums.ts';

// The check value of CRC-32: that of "123456789" is cbf43926.
const TOLD = { 'x-amz-checksum-crc32': 'y/Q5Jg==' };

it.each([
  ['of all bytes', { ...TOLD, 'x-amz-checksum-type': 'FULL_OBJECT' }, 'cbf43926'],
  ['of an object in one piece, without a type', { ...TOLD, etag: '"0123"' }, 'cbf43926'],
  ['of parts', { ...TOLD, 'x-amz-checksum-type': 'COMPOSITE' }, undefined],
  ['of parts, without a type', { ...TOLD, etag: '"0123-2"' }, undefined],
  ['of parts, told as such', { 'x-amz-checksum-crc32': 'y/Q5Jg==-2', etag: '"0123"' }, undefined],
  ['that is none', { 'x-amz-checksum-crc32': 'nonsense', etag: '"0123"' }, undefined],
  ['of another kind', { 'x-amz-checksum-crc32c': 'y/Q5Jg==', etag: '"0123"' }, undefined],
  ['that nobody told', { etag: '"0123"' }, undefined],
])('a checksum %s counts as it should', (_, headers, expected) => {
  expect(toldCrc32(headers)).toBe(expected);
});
