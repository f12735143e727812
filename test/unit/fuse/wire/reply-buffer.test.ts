import { expect, test } from 'vitest';
import { ReplyBuffer } from '../../../../src/fuse/wire/reply-buffer.ts';

test('an answer begins with its length, its error and the number of the request', () => {
  const reply = new ReplyBuffer();
  reply.u32(0, 7);
  expect(reply.finish(2 ** 40 + 5, 4).toString('hex')).toBe(
    '1400000000000000050000000001000007000000',
  );
  expect(reply.finish(6, 0, 0, 2).readInt32LE(4)).toBe(-2);
  expect(reply.finish(6, 0, 1000).readUInt32LE(0)).toBe(1016);
});

test('64-bit numbers beyond 32 bits, and negative ones', () => {
  const reply = new ReplyBuffer();
  reply.u64(0, 6 * 2 ** 40 + 3);
  reply.u64(8, -1000);
  const bytes = reply.finish(1, 16);
  expect(bytes.readBigUInt64LE(16)).toBe(6n * 2n ** 40n + 3n);
  expect(bytes.readBigInt64LE(24)).toBe(-1000n);
});

test('names of any bytes, and names that do not fit', () => {
  const reply = new ReplyBuffer();
  expect(reply.name(0, 'plain', 100)).toBe(5);
  expect(reply.name(5, 'ü\udcff', 100)).toBe(3);
  expect(reply.finish(1, 8).subarray(16)).toEqual(Buffer.from('plain\xc3\xbc\xff', 'latin1'));
  expect(reply.name(0, 'plain', 4)).toBe(-1);
  expect(reply.name(0, 'üü', 3)).toBe(-1);
});

test('room for more is made when it is wanted', () => {
  const reply = new ReplyBuffer(8);
  reply.reserve(100_000);
  reply.u32(99_996, 1);
  expect(reply.finish(1, 100_000).length).toBe(100_016);
});
