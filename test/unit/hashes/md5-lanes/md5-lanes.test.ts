import { createHash, randomFillSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { md5Lanes } from '../../../../src/hashes/md5-lanes/md5-lanes.ts';
import { MD5_LAYOUT, md5Module } from '../../../../src/hashes/md5-lanes/md5-module.ts';

const ROOM = MD5_LAYOUT.roomLength;

const lanes = md5Lanes(new WebAssembly.Module(md5Module()), MD5_LAYOUT);
const content = randomFillSync(Buffer.alloc(4 * ROOM));
const md5 = (offset: number, length: number) =>
  createHash('md5')
    .update(content.subarray(offset, offset + length))
    .digest('hex');

/** Reads as a disk may: never more than `most` at once. */
const readUpTo = (most: number) => (room: Uint8Array, position: number) =>
  content.copy(room, 0, position, position + most);

function hash(lengths: readonly number[], most = Number.POSITIVE_INFINITY) {
  const ranges = lengths.map((length, at) => ({ offset: 7 * at, length }));
  const found = lanes.hash(ranges, readUpTo(Math.min(most, content.length)));
  expect(found).toEqual(ranges.map(({ offset, length }) => md5(offset, length)));
}

describe('MD5s of several messages at once', () => {
  test('are those of each, wherever it ends in a block and in a room', () => {
    for (const around of [0, 56, 64, 120, ROOM, 2 * ROOM, 3 * ROOM]) {
      const near = [-9, -8, -2, -1, 0, 1, 8, 9].map((by) => Math.max(0, around + by));
      hash(near);
    }
  });

  test('of very different lengths', () => {
    hash([0, 3 * ROOM, 1, ROOM, 55, 2 * ROOM - 8, 2 * ROOM - 9, ROOM + 64]);
    hash([ROOM - 1, 0]);
    hash([5]);
    expect(lanes.hash([], readUpTo(1))).toEqual([]);
  });

  test('in any number, one batch after the other in the same memory', () => {
    for (let count = 1; count <= 5 * lanes.lanes; count++) {
      hash(Array.from({ length: count }, (_, at) => (count * 7919 + at * 104729) % (2 * ROOM)));
    }
  });

  test('where little is read at a time', () => {
    hash([1000, 999, 5, 4096, 63, 64, 65, 0], 17);
  });

  test('are none where one ends early, and what read throws is thrown', () => {
    const short = Array.from({ length: 9 }, (_, at) => ({
      offset: content.length - at,
      length: 11,
    }));
    const good = { offset: 3, length: ROOM + 1 };
    expect(lanes.hash([good, ...short, good], readUpTo(ROOM))).toEqual([
      md5(3, ROOM + 1),
      ...short.map(() => undefined),
      md5(3, ROOM + 1),
    ]);
    const broken = () => {
      throw new Error('no disk');
    };
    expect(() => lanes.hash(short, broken)).toThrow('no disk');
    hash([3, 2, 1]);
  });
});
