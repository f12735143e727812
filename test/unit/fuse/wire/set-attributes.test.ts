import { expect, test } from 'vitest';
import { readSetAttributes } from '../../../../src/fuse/wire/attributes.ts';
import { RequestReader } from '../../../../src/fuse/wire/request-reader.ts';
import { packed } from '../../../support/fake-fuse-device.ts';

function asked(valid: number) {
  const times = [-1000n, 1_500_000_000n, 9n, 5, 123_456_789, 9] as const;
  const unsigned = times.map((part) =>
    typeof part === 'bigint' ? BigInt.asUintN(64, part) : part,
  );
  const body = packed(valid, 0, 77n, 6n * 2n ** 30n, 0n, ...unsigned, 0o100640, 0, 12, 34, 0);
  const reader = new RequestReader(4096);
  reader.buffer.set(Buffer.concat([packed(40 + body.length, 4, 1n, 1n, 0, 0, 0, 0), body]));
  reader.begin(40 + body.length);
  return readSetAttributes(reader, () => 42n);
}

test.each([
  [1, { mode: 0o640 }],
  [2 | 4, { uid: 12, gid: 34 }],
  [8, { size: 6 * 2 ** 30 }],
  [16 | 32, { accessTime: -999_999_999_995n, modTime: 1_500_000_000_123_456_789n }],
  [16 | 32 | 128 | 256, { accessTime: 42n, modTime: 42n }],
  [32 | 256 | 1024, { modTime: 42n }],
])('valid bits %i', (valid, change) => {
  expect(asked(valid)).toEqual({ change, handle: undefined });
});

test('through an open file', () => {
  expect(asked(8 | 64).handle).toBe(77);
});
