import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  isPrefix,
  matchCuts,
  matchParts,
  rangesOfParts,
  rangesOfPrefix,
} from '../../../../../src/backends/s3/delta/find-matches.ts';
import type { Pieces } from '../../../../../src/core/content-pieces.ts';

/** Pieces that are named by a letter, which repeated says their length. */
function pieces(...names: readonly string[]): Pieces {
  const digests = names.map((name) => createHash('sha256').update(name).digest());
  return {
    lengths: Uint32Array.from(names, (name) => name.length),
    digests: Buffer.concat(digests),
  };
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

test('pieces are found wherever the old content has them', () => {
  expect(matchCuts(pieces('new', 'bb', 'a', 'ccc'), pieces('a', 'bb', 'ccc'))).toEqual([
    { offset: 3, length: 2, from: 1 },
    { offset: 5, length: 1, from: 0 },
    { offset: 6, length: 3, from: 3 },
  ]);
});

test('the piece that continues the range before is taken among equal ones, else the one in place', () => {
  const old = pieces('z', 'z', 'x', 'z', 'z');
  expect(matchCuts(pieces('x', 'z', 'z', 'z'), old).map(({ from }) => from)).toEqual([2, 3, 4, 3]);
  expect(matchCuts(pieces('n', 'z'), old)).toEqual([{ offset: 1, length: 1, from: 1 }]);
});

test('a content without pieces has nothing in common with another one', () => {
  expect(matchCuts(pieces('a'), pieces())).toEqual([]);
  expect(matchCuts(pieces(), pieces('a'))).toEqual([]);
});

test('parts with the MD5s of the old ones are found at the same places', () => {
  const names = ['aaaa', 'bbbb', 'cc'];
  const old = {
    lengths: Uint32Array.from([4, 4, 2]),
    digests: Buffer.from(names.map(md5).join(''), 'hex'),
  };
  const ranges = rangesOfParts(old, 9);
  expect(ranges).toEqual([
    { offset: 0, length: 4 },
    { offset: 4, length: 4 },
  ]);
  expect(matchParts(ranges, [md5('other'), md5('bbbb')], old)).toEqual([
    { offset: 4, length: 4, from: 4 },
  ]);
});

test('a content that begins with the old one is known by the ETag', () => {
  expect(rangesOfPrefix(10, 4)).toEqual([
    { offset: 0, length: 4 },
    { offset: 4, length: 4 },
    { offset: 8, length: 2 },
  ]);
  const parts = [md5('aaaa'), md5('bbbb')];
  const ofParts = createHash('md5')
    .update(Buffer.from(parts.join(''), 'hex'))
    .digest('hex');
  expect(isPrefix(parts, `${ofParts}-2`)).toBe(true);
  expect(isPrefix(parts, `${ofParts}-3`)).toBe(false);
  expect(isPrefix([md5('a')], md5('a').toUpperCase())).toBe(true);
  expect(isPrefix([md5('a')], md5('b'))).toBe(false);
});
