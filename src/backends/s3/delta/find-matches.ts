import { hash } from 'node:crypto';
import type { CommonRange, Pieces } from '../../../core/content-pieces.ts';

/** A range of a content, in bytes. */
interface Range {
  readonly offset: number;
  readonly length: number;
}

/**
 * What a new content has in common with an old one, by their cuts: at any place. Of several places of the old content
 * with the same piece the one that continues the match before is taken, else the one at the same offset.
 */
export function matchCuts(now: Pieces, old: Pieces): CommonRange[] {
  const width = now.digests.length / Math.max(1, now.lengths.length);
  const places = new Map<string, number[]>();
  let from = 0;
  for (const [at, length] of old.lengths.entries()) {
    const key = keyAt(old, at, width);
    const known = places.get(key);
    if (known === undefined) places.set(key, [from]);
    else known.push(from);
    from += length;
  }
  const matches: CommonRange[] = [];
  let offset = 0;
  let next = -1;
  for (const [at, length] of now.lengths.entries()) {
    const found = places.get(keyAt(now, at, width));
    if (found === undefined) next = -1;
    else {
      const place = has(found, next) ? next : has(found, offset) ? offset : (found[0] as number);
      matches.push({ offset, length, from: place });
      next = place + length;
    }
    offset += length;
  }
  return matches;
}

/** The length belongs to it: equal digests of other lengths are of other contents. */
function keyAt({ lengths, digests }: Pieces, at: number, width: number): string {
  const digest = Buffer.from(digests.buffer, digests.byteOffset + at * width, width);
  return `${lengths[at]} ${digest.toString('latin1')}`;
}

/** Whether an ascending list has a number. */
function has(list: readonly number[], wanted: number): boolean {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return list[low] === wanted;
}

/** The ranges of a content of `size` bytes in which an old one of these parts may have the same bytes. */
export function rangesOfParts({ lengths }: Pieces, size: number): readonly Range[] {
  const ranges: Range[] = [];
  let offset = 0;
  for (const length of lengths) {
    if (offset + length > size) break;
    ranges.push({ offset, length });
    offset += length;
  }
  return ranges;
}

/** What the contents have in common at the same places: the ranges whose MD5s are those of the old parts. */
export function matchParts(
  ranges: readonly Range[],
  md5s: readonly string[],
  { digests }: Pieces,
): CommonRange[] {
  const old = Buffer.from(digests.buffer, digests.byteOffset, digests.length);
  return ranges.flatMap(({ offset, length }, at) =>
    md5s[at] === old.toString('hex', 16 * at, 16 * at + 16)
      ? [{ offset, length, from: offset }]
      : [],
  );
}

/** The ranges whose MD5s show whether a content begins with an old one: `partLength` bytes each. */
export function rangesOfPrefix(oldSize: number, partLength: number): readonly Range[] {
  const ranges: Range[] = [];
  for (let offset = 0; offset < oldSize; offset += partLength)
    ranges.push({ offset, length: Math.min(partLength, oldSize - offset) });
  return ranges;
}

/** Whether the content begins with the old one, whose ETag is the MD5 of the whole or that of the MD5s of its parts. */
export function isPrefix(md5s: readonly string[], etag: string): boolean {
  if (!etag.includes('-')) return md5s.length === 1 && md5s[0] === etag.toLowerCase();
  const ofParts = hash('md5', Buffer.from(md5s.join(''), 'hex'), 'hex');
  return etag.toLowerCase() === `${ofParts}-${md5s.length}`;
}
