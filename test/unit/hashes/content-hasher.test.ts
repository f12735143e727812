import { describe, expect, test } from 'vitest';
import {
  COMPUTABLE_HASHES,
  contentHasher,
  hashesOf as hashesOfWhole,
} from '../../../src/hashes/content-hasher.ts';

const hashesOf = (text: string, cut = text.length) => {
  const hasher = contentHasher(COMPUTABLE_HASHES);
  hasher.update(Buffer.from(text.slice(0, cut)));
  hasher.update(Buffer.from(text.slice(cut)));
  return hasher.digest();
};

describe('contentHasher', () => {
  test('of nothing', () =>
    expect(hashesOf('')).toEqual({
      md5: 'd41d8cd98f00b204e9800998ecf8427e',
      sha1: 'da39a3ee5e6b4b0d3255bfef95601890afd80709',
      sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      crc32: '00000000',
      quickxor: '0000000000000000000000000000000000000000',
    }));

  test('of "123456789", the usual check value', () => {
    const hashes = hashesOf('123456789');
    expect(hashes.md5).toBe('25f9e794323b453885f5181f1b624d0b');
    expect(hashes.crc32).toBe('cbf43926');
    for (let cut = 0; cut < 9; cut++) expect(hashesOf('123456789', cut)).toEqual(hashes);
  });

  test('computes only what is asked for', () => {
    const hasher = contentHasher(['sha1']);
    hasher.update(Buffer.from('abc'));
    expect(hasher.digest()).toEqual({ sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d' });
    expect(contentHasher([]).digest()).toEqual({});
  });
});

test('the hashes of a whole content are those of its pieces; what cannot be computed is left out', () => {
  const content = Buffer.from('some content of a file');
  const names = [...COMPUTABLE_HASHES, 'blake3'] as (typeof COMPUTABLE_HASHES)[number][];
  expect(hashesOfWhole(names, content)).toEqual(hashesOf(content.toString(), 7));
});
