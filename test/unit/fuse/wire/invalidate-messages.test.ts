import { expect, test } from 'vitest';
import {
  invalidateEntryMessage,
  invalidateInodeMessage,
} from '../../../../src/fuse/session/invalidations.ts';

test('an inode: all of its content', () => {
  const message = invalidateInodeMessage(2 ** 33);
  expect(message.readInt32LE(4)).toBe(2);
  expect(message.readBigUInt64LE(8)).toBe(0n);
  expect(message.readBigUInt64LE(16)).toBe(2n ** 33n);
  expect([message.readBigInt64LE(24), message.readBigInt64LE(32)]).toEqual([0n, -1n]);
});

test('a name: its bytes and a zero', () => {
  const message = invalidateEntryMessage(7, 'ü');
  expect(message.readUInt32LE(0)).toBe(message.length);
  expect([message.readInt32LE(4), message.readUInt32LE(24)]).toEqual([3, 2]);
  expect(message.subarray(32)).toEqual(Buffer.from('ü\0'));
});
