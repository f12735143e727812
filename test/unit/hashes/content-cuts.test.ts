import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { cutContent } from '../../../src/hashes/content-cuts.ts';

const KIB = 1024;

/** Bytes that look random and are the same in every run. */
function bytesOf(seed: string, length: number): Buffer {
  const cipher = createCipheriv('aes-128-ctr', seed.padEnd(16), Buffer.alloc(16));
  return cipher.update(Buffer.alloc(length));
}

/** Cuts a content that is read in portions of `most` bytes. */
function cutsOf(content: Buffer, most = 100_000) {
  let at = 0;
  return cutContent((room) => {
    const bytes = content.copy(room, 0, at, at + Math.min(most, room.length));
    at += bytes;
    return bytes;
  });
}

/** The pieces as text: length and digest. */
function piecesOf(content: Buffer, most?: number): string[] {
  const { lengths, digests } = cutsOf(content, most);
  return [...lengths].map(
    (length, at) => `${length} ${Buffer.from(digests).toString('hex', 32 * at, 32 * at + 32)}`,
  );
}

test('a content is cut into pieces that follow each other, each with its SHA-256', () => {
  const content = bytesOf('whole', 9_000_000);
  let at = 0;
  const expected = [...cutsOf(content).lengths].map((length) => {
    const piece = content.subarray(at, at + length);
    at += length;
    return `${length} ${createHash('sha256').update(piece).digest('hex')}`;
  });
  expect(at).toBe(content.length);
  expect(piecesOf(content)).toEqual(expected);
});

test('pieces have 256 KiB to 4 MiB, and the last may have less', () => {
  const lengths = [...cutsOf(bytesOf('sizes', 30_000_000)).lengths];
  expect(lengths.length).toBeGreaterThan(15);
  expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThanOrEqual(256 * KIB);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(4096 * KIB);
});

test('how a content is read does not change where it is cut', () => {
  const content = bytesOf('portions', 6_000_000);
  expect(piecesOf(content, 1_000)).toEqual(piecesOf(content, 50_000_000));
});

test('all pieces but those around an inserted text stay the same', () => {
  const content = bytesOf('inserted', 12_000_000);
  const changed = Buffer.concat([
    content.subarray(0, 5_000_000),
    Buffer.from('an inserted text'),
    content.subarray(5_000_000),
  ]);
  const before = piecesOf(content);
  const known = new Set(before);
  const fresh = piecesOf(changed).filter((piece) => !known.has(piece));
  expect(before.length).toBeGreaterThan(6);
  expect(fresh.length).toBeLessThanOrEqual(2);
});

test('zeros, an empty content and one shorter than a piece are cut as well', () => {
  expect([...cutsOf(Buffer.alloc(0)).lengths]).toEqual([]);
  expect([...cutsOf(randomBytes(70)).lengths]).toEqual([70]);
  expect([...cutsOf(Buffer.alloc(9 * 1024 * KIB)).lengths]).toEqual(
    [4, 4, 1].map((mib) => mib * 1024 * KIB),
  );
});
