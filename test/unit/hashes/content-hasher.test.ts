import { describe, expect, test } from 'vitest';
import { HASH_NAMES } from '../../../src/core/hash-names.ts';
import {
  contentHasher,
  hashesOf as hashesOfWhole,
  loadedHasher,
} from '../../../src/hashes/content-hasher.ts';

/** Those that need no library. */
const PLAIN = ['md5', 'sha1', 'crc32', 'sha256', 'quickxor'] as const;

const hashesOf = (text: string, cut = text.length) => {
  const hasher = contentHasher(PLAIN);
  hasher.update(Buffer.from(text.slice(0, cut)));
  hasher.update(Buffer.from(text.slice(cut)));
  return hasher.digest();
};

test('all hashes, some of them by a library', async () => {
  const hasher = await loadedHasher(HASH_NAMES);
  for (const part of ['h', 'i\n']) hasher.update(Buffer.from(part));
  // As rclone 1.75 prints them.
  expect(hasher.digest()).toEqual({
    md5: '764efa883dda1e11db47671c4a3bbd9e',
    sha1: '55ca6286e3e4f4fba5d0448333fa99fc5a404a73',
    crc32: 'ed6f7a7a',
    sha256: '98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4',
    sha512:
      'd78abb0542736865f94704521609c230dac03a2f369d043ac212d6933b91410e06399e37f9c5cc88436a31737330c1c8eccb2c2f9f374d62f716432a32d50fac',
    blake3: '0b8b60248fad7ac6dfac221b7e01a8b91c772421a15b387dd1fb2d6a94aee438',
    xxh3: 'b34d1a3ab2bece70',
    xxh128: 'f4d0497cf9394caab34d1a3ab2bece70',
    quickxor: '6848830200000000000000000300000000000000',
  });
  const [one, other] = await Promise.all([loadedHasher(['xxh3']), loadedHasher(['xxh3'])]);
  one.update(Buffer.from('hi\n'));
  other.update(Buffer.from('x'));
  expect(one.digest()).toEqual({ xxh3: 'b34d1a3ab2bece70' });
});

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
  const names = [...PLAIN, 'blake3'] as const;
  expect(hashesOfWhole(names, content)).toEqual(hashesOf(content.toString(), 7));
});
