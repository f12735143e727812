import { expect, test } from 'vitest';
import { DirBlock } from '../../../../src/fuse/wire/attributes.ts';
import { ReplyBuffer } from '../../../../src/fuse/wire/reply-buffer.ts';
import type { Attributes, ListedEntry } from '../../../../src/vfs/mount-ops.ts';

const attributes: Attributes = {
  ...{ inode: 5, kind: 'file', size: 3, modTime: 0n, accessTime: 0n, changeTime: 0n },
  ...{ mode: 0o644, uid: 0, gid: 0, links: 1 },
};

const entry = (name: string, next: number, isRough = false): ListedEntry => ({
  ...{ name, attributes, next, isRough },
});

test('entries are padded to eight bytes and carry the position after them', () => {
  const buffer = new ReplyBuffer();
  const block = new DirBlock(buffer, 200, false, 1000);
  expect(block.addDots('.', 1, 1)).toBe(true);
  expect(block.add(entry('abcdefghi', 3), 3)).toBe(true);
  const bytes = buffer.finish(1, block.length).subarray(16);
  expect(bytes.length).toBe(32 + 40);
  expect(bytes.readBigUInt64LE(32)).toBe(5n);
  expect(bytes.readBigUInt64LE(40)).toBe(3n);
  expect(bytes.readUInt32LE(48)).toBe(9);
  expect(bytes.readUInt32LE(52)).toBe(8);
  expect(bytes.subarray(56, 72).toString()).toBe('abcdefghi\0\0\0\0\0\0\0');
});

test('an entry that does not fit is left for the next block', () => {
  const block = new DirBlock(new ReplyBuffer(), 63, false, 1000);
  expect(block.add(entry('a', 1), 1)).toBe(true);
  expect(block.add(entry('b', 2), 2)).toBe(false);
  expect(block.length).toBe(32);
});

test('with attributes each entry is preceded by them, dots by nothing that counts', () => {
  const buffer = new ReplyBuffer();
  const block = new DirBlock(buffer, 1000, true, 1500);
  block.addDots('..', 1, 2);
  block.add(entry('a', 3), 3);
  const bytes = buffer.finish(1, block.length).subarray(16);
  expect(bytes.length).toBe(2 * 160);
  expect(bytes.readBigUInt64LE(0)).toBe(0n);
  expect(bytes.readBigUInt64LE(160)).toBe(5n);
  expect([bytes.readBigUInt64LE(176), bytes.readUInt32LE(192)]).toEqual([1n, 500_000_000]);
  expect(bytes.readUInt32LE(160 + 40 + 60)).toBe(0o100644);
});

test('of an entry whose time is not known the kernel is told the name and no attributes', () => {
  const buffer = new ReplyBuffer();
  const block = new DirBlock(buffer, 1000, true, 1500);
  block.add(entry('a', 1, true), 1);
  const bytes = buffer.finish(1, block.length).subarray(16);
  expect(bytes.subarray(0, 128).every((byte) => byte === 0)).toBe(true);
  expect(bytes.readBigUInt64LE(128)).toBe(5n);
});
