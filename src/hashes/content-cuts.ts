import type { Pieces } from '../core/content-pieces.ts';

/** Puts the next bytes of a content into `room`, as many as it likes but at least one; 0 at the end. */
export type ReadNext = (room: Uint8Array) => number;

/**
 * Cuts a content where its own bytes say so, a mebibyte apart on average, with the SHA-256 of each piece: what is
 * inserted or deleted moves the cuts behind it along, so that pieces further on stay the same. A place is one where a
 * sum over the 32 bytes before it (a gear hash) begins with 20 zeros; no piece but the last has less than a quarter of
 * a mebibyte, and none more than four. Threads run this from its text: it must use nothing from outside.
 */
export function cutContent(read: ReadNext): Pieces {
  const { hash } = process.getBuiltinModule('node:crypto');
  const [LEAST, MOST, WINDOW] = [256 * 1024, 4 * 1024 * 1024, 32];
  // Any fixed numbers do that look random; others would make all cuts known so far useless.
  const gear = new Int32Array(256);
  let seed = 0x9e3779b9;
  for (let byte = 0; byte < 256; byte++) {
    seed = Math.imul(seed ^ (seed >>> 15), 0x85ebca6b) + 0x6d2b79f5;
    gear[byte] = Math.imul(seed ^ (seed >>> 13), 0xc2b2ae35) ^ (seed >>> 16);
  }
  /** How long the piece is that begins at `start`. */
  const lengthAt = (bytes: Uint8Array, start: number, end: number): number => {
    const last = Math.min(end, start + MOST);
    let sum = 0;
    let at = start + LEAST - WINDOW;
    for (const warm = Math.min(last, start + LEAST); at < warm; at++)
      sum = ((sum << 1) + (gear[bytes[at] as number] as number)) | 0;
    for (; at < last; at++) {
      if (sum >>> 12 === 0) return at - start;
      sum = ((sum << 1) + (gear[bytes[at] as number] as number)) | 0;
    }
    return last - start;
  };
  const room = new Uint8Array(4 * MOST);
  const lengths: number[] = [];
  const digests: Buffer[] = [];
  let [start, end, isEnd] = [0, 0, false];
  for (;;) {
    if (!isEnd && end - start < MOST) {
      room.copyWithin(0, start, end);
      [start, end] = [0, end - start];
      while (!isEnd && end < room.length) {
        const bytes = read(room.subarray(end));
        isEnd = bytes === 0;
        end += bytes;
      }
    }
    if (start === end) break;
    const length = lengthAt(room, start, end);
    lengths.push(length);
    digests.push(hash('sha256', room.subarray(start, start + length), 'buffer'));
    start += length;
  }
  return { lengths: Uint32Array.from(lengths), digests: Buffer.concat(digests) };
}
