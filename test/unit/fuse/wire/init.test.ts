import { expect, test } from 'vitest';
import { INIT_SIZE, negotiate, writeInit } from '../../../../src/fuse/wire/init.ts';
import { ReplyBuffer } from '../../../../src/fuse/wire/reply-buffer.ts';
import { RequestReader } from '../../../../src/fuse/wire/request-reader.ts';
import { packed } from '../../../support/fake-fuse-device.ts';

const ALL = 0xffffffff;
const MAX_PAGES = 1 << 22;
const WRITEBACK = 1 << 16;
const usual = { maxReadAhead: 131072, writeBackCache: false, asyncRead: true, allowIdmap: false };

function offer(
  major: number,
  minor: number,
  readAhead: number,
  flags: number,
  more = 0,
): RequestReader {
  const reader = new RequestReader(4096);
  const body = packed(major, minor, readAhead, flags, more);
  reader.buffer.set(Buffer.concat([packed(56, 26, 1n, 0n, 0, 0, 0, 0), body]));
  reader.begin(56);
  return reader;
}

test('a kernel of today gets writes of 1 MiB', () => {
  const answer = negotiate(offer(7, 45, 1 << 20, ALL), usual);
  expect(answer).toMatchObject({ minor: 31, maxWrite: 1 << 20, maxReadAhead: 131072 });
  const reply = new ReplyBuffer();
  if (typeof answer === 'object') writeInit(reply, answer);
  const body = reply.finish(1, INIT_SIZE).subarray(16);
  expect(body.length).toBe(64);
  expect([body.readUInt32LE(0), body.readUInt32LE(4)]).toEqual([7, 31]);
  expect(body.readUInt32LE(20)).toBe(1 << 20);
  expect(body.readUInt16LE(28)).toBe(256);
  expect(body.readUInt32LE(12) & WRITEBACK).toBe(0);
});

test('one without MAX_PAGES gets writes of 128 KiB and its own version', () => {
  const answer = negotiate(offer(7, 27, 65536, ALL & ~MAX_PAGES), usual);
  expect(answer).toMatchObject({ minor: 27, maxWrite: 131072, maxReadAhead: 65536 });
});

test('nothing is agreed on that the kernel does not offer, or that is not wished', () => {
  expect(negotiate(offer(7, 31, 0, 0), usual)).toMatchObject({ flags: 0 });
  const wished = negotiate(offer(7, 31, 0, ALL), {
    ...usual,
    writeBackCache: true,
    asyncRead: false,
  });
  expect(wished).toHaveProperty('flags', expect.any(Number));
  const { flags } = wished as { flags: number };
  expect([flags & WRITEBACK, flags & 1]).toEqual([WRITEBACK, 0]);
});

test('owners are mapped if that is wished and offered', () => {
  const wishes = { ...usual, allowIdmap: true };
  const flagsOf = (answer: ReturnType<typeof negotiate>) => {
    const reply = new ReplyBuffer();
    if (typeof answer === 'object') writeInit(reply, answer);
    const body = reply.finish(1, INIT_SIZE).subarray(16);
    return [body.readUInt32LE(12) >>> 30, body.readUInt32LE(32)];
  };
  const offered = offer(7, 41, 0, ALL, ALL);
  expect(flagsOf(negotiate(offered, wishes))).toEqual([1, 256]);
  expect(flagsOf(negotiate(offered, usual))).toEqual([0, 0]);
  expect(negotiate(offer(7, 31, 0, 0, ALL), wishes)).toHaveProperty('allowIdmap', false);
  expect(negotiate(offer(7, 41, 0, ALL, 0), wishes)).toHaveProperty('allowIdmap', false);
});

test('other protocols', () => {
  expect(negotiate(offer(8, 0, 0, 0), usual)).toBe('higher-major');
  expect(negotiate(offer(7, 20, 0, 0), usual)).toBeUndefined();
});
