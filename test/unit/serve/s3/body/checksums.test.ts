import { expect, test } from 'vitest';
import {
  CHECKSUM_NAMES,
  type ChecksumName,
  checksumElements,
  checksumHeaders,
  checksumOfAlgorithm,
  checksumOfHeader,
  startChecksum,
} from '../../../../../src/serve/s3/body/checksums.ts';

// The check values of the catalogue of CRC algorithms, and of the standards of SHA.
const CHECKS: Record<ChecksumName, string> = {
  crc32: 'cbf43926',
  crc32c: 'e3069283',
  crc64nvme: 'ae8b14860a799888',
  sha1: 'f7c3bc1d808e04732adf679965ccc34ca7ae3441',
  sha256: '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225',
};

test.each(CHECKSUM_NAMES)('%s of 123456789, in one piece and in several', async (name) => {
  for (const pieces of [['123456789'], ['1', '2345', '', '6789']]) {
    const running = await startChecksum(name);
    for (const piece of pieces) running.update(Buffer.from(piece));
    expect(running.digest().toString('hex')).toBe(CHECKS[name]);
  }
});

test('names in headers, algorithms and elements', () => {
  expect(checksumOfHeader('x-amz-checksum-crc64nvme')).toBe('crc64nvme');
  expect(checksumOfHeader('x-amz-checksum-mode')).toBeUndefined();
  expect(checksumOfHeader('crc32')).toBeUndefined();
  expect(checksumOfAlgorithm('CRC32C')).toBe('crc32c');
  expect(checksumOfAlgorithm('MD5')).toBeUndefined();
  expect(checksumHeaders({ crc32: 'AAAAAA==' })).toEqual({ 'x-amz-checksum-crc32': 'AAAAAA==' });
  expect(checksumElements({ sha1: 'x' })).toBe('<ChecksumSHA1>x</ChecksumSHA1>');
});
